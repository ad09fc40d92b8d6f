#include "tools/refactor/name_edits.h"

#include <cstdint>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// Java: a static import of other members of the name keeps an import of its own.
bool IsSplitImport(absl::string_view after, const std::string& old_name,
                   const std::string& new_name) {
  return absl::ConsumePrefix(&after, absl::StrCat(new_name, ";\nimport static ")) &&
         absl::EndsWith(after, absl::StrCat(".", old_name)) &&
         after.find_first_of(";\n ") == absl::string_view::npos;
}

}  // namespace

std::vector<ResolvedEdit> ExpandToWords(const std::vector<ResolvedEdit>& edits,
                                        absl::string_view text) {
  std::vector<ResolvedEdit> expanded;
  for (const ResolvedEdit& edit : edits) {
    ResolvedEdit word = edit;
    uint32_t& begin = word.range.begin;
    uint32_t& end = word.range.end;
    while (begin > 0 && IsIdentifierByte(text[begin - 1])) --begin;
    while (end < text.size() && IsIdentifierByte(text[end])) ++end;
    const std::string behind(text.substr(edit.range.end, end - edit.range.end));
    if (!expanded.empty() && expanded.back().range.end > begin) {
      // Both change the same word, whose end the one before has copied.
      ResolvedEdit& before = expanded.back();
      before.text.erase(before.text.size() - (before.range.end - edit.range.begin));
      absl::StrAppend(&before.text, edit.text, behind);
      before.range.end = end;
      continue;
    }
    word.text = absl::StrCat(text.substr(begin, edit.range.begin - begin), edit.text, behind);
    expanded.push_back(std::move(word));
  }
  return expanded;
}

bool IsNameChange(absl::string_view before, absl::string_view after, const std::string& old_name,
                  const std::string& new_name) {
  std::string changed;
  size_t done = 0;
  for (size_t at = 0; (at = FindWord(before, old_name, at)) != absl::string_view::npos;
       at += old_name.size()) {
    absl::StrAppend(&changed, before.substr(done, at - done), new_name);
    done = at + old_name.size();
  }
  if (done > 0 && after == absl::StrCat(changed, before.substr(done))) return true;
  // C#: `@name` becomes a plain name, and `[Checked]` is a use of CheckedAttribute.
  if (before == absl::StrCat("@", old_name) && after == new_name) return true;
  if (absl::StrCat(before, "Attribute") == old_name) {
    return after == new_name || absl::StrCat(after, "Attribute") == new_name;
  }
  if (before != old_name) return false;
  if (IsSplitImport(after, old_name, new_name)) return true;
  for (const char* between : {": ", " as ", "=", " = "}) {
    if (after == absl::StrCat(new_name, between, old_name)) return true;
    if (after == absl::StrCat(old_name, between, new_name)) return true;
  }
  return false;
}

std::vector<ResolvedEdit> SplitAtNames(const std::vector<ResolvedEdit>& edits,
                                       absl::string_view text, const std::string& old_name,
                                       const std::string& new_name) {
  std::vector<ResolvedEdit> split;
  for (const ResolvedEdit& edit : edits) {
    const absl::string_view before =
        text.substr(edit.range.begin, edit.range.end - edit.range.begin);
    std::vector<ResolvedEdit> names;
    std::string after;
    size_t done = 0;
    for (size_t at = 0; (at = FindWord(before, old_name, at)) != absl::string_view::npos;
         at += old_name.size()) {
      absl::StrAppend(&after, before.substr(done, at - done), new_name);
      done = at + old_name.size();
      const auto begin = edit.range.begin + static_cast<uint32_t>(at);
      names.push_back(
          {{edit.range.path, begin, begin + static_cast<uint32_t>(old_name.size())}, new_name});
    }
    absl::StrAppend(&after, before.substr(done));
    const bool is_same = names.size() > 1 && after == edit.text;
    if (!is_same) names = {edit};
    split.insert(split.end(), names.begin(), names.end());
  }
  return split;
}

TextEdit WithPatternWords(const SourceFile& file, TextEdit edit) {
  const size_t colon = edit.replacement.find(": ");
  if (colon == std::string::npos) return edit;
  const auto before = absl::string_view(file.text).substr(0, edit.begin);
  for (const std::string& words : LanguageBackendOf(file.language.id).naming.pattern_words) {
    if (!absl::EndsWith(before, words)) continue;
    edit.begin -= static_cast<uint32_t>(words.size());
    edit.replacement.insert(colon + 2, words);
    break;
  }
  return edit;
}

bool IsShortField(absl::string_view text, size_t begin, size_t end) {
  const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(end));
  if (behind.empty() || !absl::StrContains(",}", behind.substr(0, 1))) return false;
  absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, begin));
  for (const absl::string_view word : {" mut", "{mut", " ref", "{ref"}) {
    if (absl::EndsWith(before, word)) {
      before = absl::StripTrailingAsciiWhitespace(before.substr(0, before.size() - 3));
    }
  }
  if (before.empty() || !absl::StrContains("{,", before.substr(before.size() - 1))) return false;
  // The bracket around it, and the path before that.
  int depth = 0;
  for (size_t at = before.size(); at > 0; --at) {
    const char c = before[at - 1];
    if (absl::StrContains(")]}", std::string(1, c))) ++depth;
    if (!absl::StrContains("([{", std::string(1, c)) || --depth >= 0) continue;
    const absl::string_view path = absl::StripTrailingAsciiWhitespace(before.substr(0, at - 1));
    return c == '{' && !path.empty() && (IsIdentifierByte(path.back()) || path.back() == '>');
  }
  return false;
}

std::string WithoutAlias(const std::string& before, const std::string& after,
                         const std::string& old_name, const std::string& new_name) {
  const bool is_alias = after == absl::StrCat(new_name, " as ", old_name) ||
                        after == absl::StrCat(old_name, " as ", new_name);
  return before == old_name && is_alias ? new_name : after;
}

bool TouchesEdit(const std::map<CodeRange, std::string>& edits, const CodeRange& range) {
  auto next = edits.lower_bound(CodeRange{range.path, range.end, 0});
  if (next == edits.begin()) return false;
  const CodeRange& before = std::prev(next)->first;
  return before.path == range.path && before.end > range.begin;
}

absl::StatusOr<std::string> TextAt(const CodeRange& range, CodeIndex* index) {
  STILE_ASSIGN_OR_RETURN(const auto file, index->Open(range.path));
  if (range.end > file->text.size()) {
    return absl::DataLossError(absl::StrCat("it names a place behind the end of ", range.path));
  }
  return file->text.substr(range.begin, range.end - range.begin);
}

}  // namespace stile
