#include "tools/refactor/capture_check.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kMaxPlaces = 400;
constexpr char kLimitReached[] = ", because the limit of time or places was reached";

bool IsEndOfAsking(const absl::Status& status) {
  return absl::IsCancelled(status) || absl::IsUnavailable(status);
}

std::vector<TextEdit> Sorted(std::vector<TextEdit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  return edits;
}

int64_t Growth(const TextEdit& edit) {
  return static_cast<int64_t>(edit.replacement.size()) - (edit.end - edit.begin);
}

// Where the plan has written the name, in the texts as they are afterwards, and where that was.
std::map<CodePlace, CodePlace> WrittenPlaces(const EditPlan& plan, const std::string& name) {
  std::map<CodePlace, CodePlace> written;
  for (const auto& [path, file] : plan.files()) {
    int64_t shift = 0;
    for (const TextEdit& edit : Sorted(file.edits)) {
      const size_t at = FindWord(edit.replacement, name);
      if (at != absl::string_view::npos) {
        const int64_t offset = edit.begin + shift + static_cast<int64_t>(at);
        written.emplace(CodePlace{file.NewPath(), static_cast<uint32_t>(offset)},
                        CodePlace{path, edit.begin});
      }
      shift += Growth(edit);
    }
  }
  return written;
}

// Where a place is after the plan.
CodePlace Moved(const CodePlace& place, const EditPlan& plan) {
  const auto file = plan.files().find(place.path);
  if (file == plan.files().end()) return place;
  int64_t shift = 0;
  for (const TextEdit& edit : file->second.edits) {
    if (edit.begin < place.offset) shift += Growth(edit);
  }
  return {file->second.NewPath(), static_cast<uint32_t>(place.offset + shift)};
}

// Whether the place lies in a preprocessor directive, continued lines included.
bool IsInMacro(const SourceFile& file, uint32_t offset) {
  if (!LanguageBackendOf(file.language.id).generation.has_includes) return false;
  int line = file.PlaceOf(offset).line;
  while (line > 1 && absl::EndsWith(file.Line(line - 1), "\\")) --line;
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(file.Line(line)), "#");
}

}  // namespace

std::string CaptureCheck::At(const CodePlace& place) const {
  const auto file = index_->Open(place.path);
  return file.ok() ? absl::StrCat(ToUtf8(place.path), ":", (*file)->PlaceOf(place.offset).line)
                   : ToUtf8(place.path);
}

// A place about which the resolver says nothing is no failure.
void CaptureCheck::NoteFailure(const absl::Status& status) {
  const bool is_failure =
      absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsDataLoss(status);
  if (!is_failure || !incomplete_.empty()) return;
  incomplete_ = absl::StrCat("the meaning of some places of ", name_, ": ", status.message());
}

absl::Status CaptureCheck::Begin(const std::string& path, absl::Duration limit) {
  const absl::Time end = absl::Now() + limit;
  const auto files = index_->FilesWith(name_);
  if (files.empty()) return absl::OkStatus();
  const auto resolver = pool_->For(path, limit);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) {
    incomplete_ =
        absl::StrCat("the meaning of places of ", name_, ": ", resolver.status().message());
    return absl::OkStatus();
  }
  size_t asked = 0;
  for (const auto& file : files) {
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name_)) {
      if (asked++ >= kMaxPlaces || absl::Now() > end) {
        incomplete_ = absl::StrCat("the meaning of places of ", name_, kLimitReached);
        return absl::OkStatus();
      }
      if (IsInMacro(*file, occurrence.begin)) continue;
      const CodePlace place{file->path, occurrence.begin};
      const auto places = (*resolver)->Definition(place);
      if (absl::IsCancelled(places.status())) return places.status();
      NoteFailure(places.status());
      if (absl::IsUnavailable(places.status())) return absl::OkStatus();
      if (places.ok() && !(places->ranges.empty() && places->outside.empty())) {
        before_.insert(place);
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CaptureCheck::Result> CaptureCheck::End(const EditPlan& plan,
                                                       const ResolvedSymbol& resolved,
                                                       absl::Duration limit) {
  const absl::Time end = absl::Now() + limit;
  Result result;
  result.incomplete = incomplete_;
  if (plan.files().empty()) return result;
  written_ = WrittenPlaces(plan, name_);
  const auto resolver = pool_->For(plan.files().begin()->second.NewPath(), limit);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) {
    result.incomplete =
        absl::StrCat("the meaning of places of ", name_, ": ", resolver.status().message());
    return result;
  }
  std::vector<std::pair<CodePlace, bool>> places;
  std::set<CodePlace> known;
  for (const auto& [range, text] : resolved.edits) known.insert({range.path, range.begin});
  for (const auto& [place, before] : written_) {
    const auto file = index_->Open(place.path);
    const bool is_in_macro = file.ok() && IsInMacro(**file, place.offset);
    if (known.count(before) > 0 && !is_in_macro) places.emplace_back(place, true);
  }
  for (const CodePlace& place : before_) places.emplace_back(Moved(place, plan), false);
  size_t asked = 0;
  for (const auto& [place, is_written] : places) {
    if (asked++ >= 2 * kMaxPlaces || absl::Now() > end) {
      result.incomplete = absl::StrCat("the meaning of ", Count(places.size() + 1 - asked, "place"),
                                       " of ", name_, kLimitReached);
      return result;
    }
    const auto found = is_written ? LookAtWritten(place, *resolver) : LookAtOther(place, *resolver);
    if (absl::IsCancelled(found.status())) return found.status();
    if (!found.ok()) {
      result.incomplete = std::string(found.status().message());
      return result;
    }
    result.capture = *found;
    if (result.incomplete.empty()) result.incomplete = incomplete_;
    if (!found->empty()) return result;
  }
  return result;
}

absl::StatusOr<std::string> CaptureCheck::LookAtWritten(const CodePlace& place,
                                                        Resolver* resolver) {
  const auto places = resolver->Definition(place);
  if (IsEndOfAsking(places.status())) return places.status();
  NoteFailure(places.status());
  if (!places.ok()) return "";
  std::string other;
  for (const CodeRange& range : places->ranges) {
    const CodePlace found{range.path, range.begin};
    if (written_.count(found) > 0) return "";
    // A constructor, say, is no other thing of the name.
    const auto file = index_->Open(range.path);
    const bool has_name = file.ok() && FindWord((*file)->text, name_, range.begin) == range.begin &&
                          range.end - range.begin == name_.size();
    if (has_name) other = At(found);
  }
  if (other.empty()) return "";
  return absl::StrCat("at ", At(place), " it would mean that of ", other);
}

absl::StatusOr<std::string> CaptureCheck::LookAtOther(const CodePlace& place, Resolver* resolver) {
  const auto places = resolver->Definition(place);
  if (IsEndOfAsking(places.status())) return places.status();
  NoteFailure(places.status());
  if (!places.ok()) return "";
  for (const CodeRange& range : places->ranges) {
    if (written_.count({range.path, range.begin}) == 0) continue;
    return absl::StrCat(name_, " at ", At(place),
                        " means something else now, and would mean the symbol");
  }
  return "";
}

}  // namespace stile
