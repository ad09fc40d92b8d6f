#include "tools/refactor/other_meanings.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/refactor/name_edits.h"
#include "tools/refactor/resolved_bases.h"

namespace stile {

absl::StatusOr<std::optional<CodeRange>> OtherMeanings::Of(const CodeRange& use, absl::Time end) {
  const absl::StatusOr<ResolvedPlaces> places = absl::Now() > end
                                                    ? absl::DeadlineExceededError("")
                                                    : resolver_->Definition({use.path, use.begin});
  if (absl::IsCancelled(places.status()) || absl::IsUnavailable(places.status())) {
    return places.status();
  }
  if (!places.ok()) {
    if (!IsNoAnswer(places.status()) && partial_->empty()) {
      *partial_ = "places were not all asked about";
    }
    return std::nullopt;
  }
  for (const CodeRange& definition : places->ranges) {
    if (TouchesEdit(*edits_, definition)) continue;
    STILE_ASSIGN_OR_RETURN(const std::string name, TextAt(definition, index_));
    if (name == old_name_) return definition;
  }
  return std::nullopt;
}

absl::Status OtherMeanings::Check(absl::Time end) {
  for (const auto& [range, text] : *edits_) {
    STILE_ASSIGN_OR_RETURN(const std::optional<CodeRange> other, Of(range, end));
    if (!other.has_value()) continue;
    const auto file = index_->Open(range.path);
    const auto declaring = index_->Open(other->path);
    if (!file.ok() || !declaring.ok()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("at ", ToUtf8(range.path), ":", (*file)->PlaceOf(range.begin).line,
                     " it may mean ", old_name_, " of ", ToUtf8(other->path), ":",
                     (*declaring)->PlaceOf(other->begin).line, ", too"));
  }
  return absl::OkStatus();
}

}  // namespace stile
