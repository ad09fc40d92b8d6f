#include "tools/refactor/doc_mentions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "tools/index/code_index.h"
#include "tools/language/language_family.h"

namespace stile {
namespace {

// What comments consist of beside their text.
constexpr absl::string_view kMarks = "/*#!\"' \t\r\n";
// Tags of documentation that a name follows.
constexpr absl::string_view kTagsOfNames[] = {"{@link", "{@code", "{@linkplain",
                                              "@see",   "@link",  "{@value"};

// An underscore, a digit, or a capital behind a small letter.
bool IsUnlikeProse(const std::string& name) {
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_' || absl::ascii_isdigit(name[i]) ||
        (absl::ascii_isupper(name[i]) && absl::ascii_islower(name[i - 1]))) {
      return true;
    }
  }
  return false;
}

// Of JSDoc and Javadoc: `@param` in a text is no decorator.
bool IsTag(absl::string_view name) {
  static const auto* const kTags = new std::set<absl::string_view>{
      "abstract",  "access",      "alias",      "arg",        "async",       "augments",
      "author",    "brief",       "callback",   "class",      "code",        "const",
      "constant",  "constructor", "default",    "deprecated", "description", "emits",
      "enum",      "event",       "example",    "exception",  "exports",     "extends",
      "external",  "file",        "fires",      "func",       "function",    "generator",
      "global",    "ignore",      "implements", "import",     "inheritDoc",  "inheritdoc",
      "inner",     "instance",    "interface",  "internal",   "kind",        "lends",
      "license",   "link",        "listens",    "member",     "method",      "mixin",
      "module",    "name",        "namespace",  "note",       "overload",    "override",
      "package",   "param",       "private",    "prop",       "property",    "protected",
      "public",    "readonly",    "remarks",    "requires",   "return",      "returns",
      "satisfies", "see",         "since",      "static",     "summary",     "template",
      "this",      "throws",      "todo",       "tparam",     "type",        "typedef",
      "value",     "var",         "variation",  "version",    "yields"};
  return kTags->count(name) > 0;
}

bool IsMarkedAsCode(absl::string_view doc, size_t begin, size_t end) {
  const char before = begin > 0 ? doc[begin - 1] : ' ';
  const char behind = end < doc.size() ? doc[end] : ' ';
  // `tag:domain,date` and `tag-name` are other words, `!tag` and `--tag` texts of another kind.
  const bool begins_word =
      behind == '-' || behind == '/' ||
      (behind == ':' && end + 1 < doc.size() && absl::ascii_isalnum(doc[end + 1]));
  if (before == '`' && !begins_word) return true;
  // `root@server` is an address.
  const bool is_behind_word =
      before == '@' && begin > 1 && absl::ascii_isalnum(static_cast<unsigned char>(doc[begin - 2]));
  const bool is_tag = before == '@' && (is_behind_word || IsTag(doc.substr(begin, end - begin)));
  if (behind == '`' && !is_tag && !absl::StrContains("!-/$%", before)) return true;
  if (before == '[' || before == '#' || behind == '(') return true;
  // `cref="run"`, `:meth:`~Owner.run``, `Owner.run`, `Owner::run`
  if (before == '"' && begin > 1 && doc[begin - 2] == '=') return true;
  const bool has_owner = begin > 1 && before == '.' && absl::ascii_isalnum(doc[begin - 2]);
  const bool has_module = begin > 1 && before == ':' && doc[begin - 2] == ':';
  if (has_owner || has_module) return true;
  const absl::string_view head = absl::StripTrailingAsciiWhitespace(doc.substr(0, begin));
  return head.size() < begin &&
         std::any_of(std::begin(kTagsOfNames), std::end(kTagsOfNames),
                     [&](absl::string_view tag) { return absl::EndsWith(head, tag); });
}

// `module:run`.
bool IsBehindModule(absl::string_view text, size_t begin) {
  return begin > 1 && text[begin - 1] == ':' &&
         absl::ascii_isalnum(static_cast<unsigned char>(text[begin - 2]));
}

// `{{.Total}}` of Go, `{{ order.total }}`, `{% if order.total %}`, `<%= order.total %>`.
bool IsInTemplate(absl::string_view text, size_t begin) {
  constexpr size_t kMaxCode = 2000;
  const size_t from = begin - std::min(begin, kMaxCode);
  const absl::string_view before = text.substr(from, begin - from);
  const struct {
    absl::string_view opens;
    absl::string_view closes;
  } kMarksOfCode[] = {{"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}};
  const absl::string_view behind = text.substr(begin, kMaxCode);
  const absl::string_view paragraph = behind.substr(0, behind.find("\n\n"));
  return std::any_of(std::begin(kMarksOfCode), std::end(kMarksOfCode), [&](const auto& marks) {
    const size_t open = before.rfind(marks.opens);
    if (open == absl::string_view::npos || !absl::StrContains(paragraph, marks.closes))
      return false;
    const absl::string_view code = before.substr(open);
    return !absl::StrContains(code, marks.closes) && !absl::StrContains(code, "\n\n");
  });
}

// The word before `.`, `#` or `::` that stands before `begin`: "Task" of `Task#run` and of
// `Task.prototype.run`; nullopt: there is no such sign.
std::optional<absl::string_view> QualifierBefore(absl::string_view doc, size_t begin) {
  absl::string_view before = doc.substr(0, begin);
  if (!absl::ConsumeSuffix(&before, "#") && !absl::ConsumeSuffix(&before, ".") &&
      !absl::ConsumeSuffix(&before, "::")) {
    return std::nullopt;
  }
  absl::ConsumeSuffix(&before, ".prototype");
  size_t start = before.size();
  while (start > 0 && IsIdentifierByte(before[start - 1])) --start;
  return before.substr(start);
}

// Whether a variable has the name of the type, or the last words of it: `order` of PurchaseOrder.
bool IsNamedAfter(absl::string_view variable, const std::string& type) {
  const std::vector<std::string> words = WordsOf(type);
  const std::vector<std::string> own = WordsOf(std::string(variable));
  return own.size() <= words.size() && std::equal(own.rbegin(), own.rend(), words.rbegin());
}

// Whether the name stands behind a qualifier that is not its own: `Other#run`, `dict.get`.
bool IsOfAnother(absl::string_view doc, size_t begin, const std::string& owner,
                 bool is_unlike_prose, const MentionRules& rules) {
  const std::optional<absl::string_view> qualifier = QualifierBefore(doc, begin);
  if (!qualifier.has_value()) return !owner.empty() && rules.has_namesake_in_scope;
  const auto is_one_of = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), *qualifier) != std::end(list);
  };
  if (owner.empty()) {
    constexpr absl::string_view kModules[] = {"", "self", "super", "crate", "exports"};
    return !rules.modules.empty() && !is_one_of(kModules) && !is_one_of(rules.modules);
  }
  constexpr absl::string_view kOwn[] = {"", "Self", "self", "this", "cls"};
  if (is_one_of(kOwn)) return false;
  if (*qualifier == owner || is_one_of(rules.owners)) return false;
  // A member stands behind its type, whatever the case of the name: `str::len`.
  const bool is_type = absl::ascii_isupper(static_cast<unsigned char>((*qualifier)[0])) ||
                       absl::EndsWith(doc.substr(0, begin), "::");
  if (rules.in_settings) return is_type;
  // `task.runAll` is called on a variable.
  return is_type || (!is_unlike_prose && !IsNamedAfter(*qualifier, owner));
}

bool IsInsideSentence(absl::string_view doc, size_t begin) {
  const size_t last = doc.substr(0, begin).find_last_not_of(kMarks);
  return last != absl::string_view::npos && !absl::StrContains(".!?:;", doc[last]);
}

absl::string_view LineAround(absl::string_view text, size_t offset) {
  const size_t begin = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  return text.substr(begin, std::min(text.find('\n', offset), text.size()) - begin);
}

// `@example` of the comment around the offset, before it.
bool IsInJsDocExample(absl::string_view text, size_t offset) {
  constexpr size_t kMaxComment = 4000;
  absl::string_view before = text.substr(0, offset);
  before = before.substr(before.size() - std::min(before.size(), kMaxComment));
  const size_t open = before.rfind("/**");
  if (open == absl::string_view::npos) return false;
  const absl::string_view comment = before.substr(open);
  const size_t tag = comment.rfind("@example");
  if (absl::StrContains(comment, "*/") || tag == absl::string_view::npos) return false;
  const std::vector<absl::string_view> lines = absl::StrSplit(comment.substr(tag), '\n');
  return std::none_of(lines.begin(), lines.end(), [](absl::string_view line) {
    return absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "* @");
  });
}

}  // namespace

bool MayBeRun(absl::string_view text, size_t begin, size_t end) {
  if (begin == 0 || end >= text.size()) return false;
  const char before = text[begin - 1];
  const char behind = text[end];
  if (absl::StrContains("\"'`.:", before) && absl::StrContains("\"'`", behind)) return true;
  const absl::string_view line = absl::StripLeadingAsciiWhitespace(LineAround(text, begin));
  if (before == '.' && absl::StrContains(line, "{{")) return true;
  const bool is_comment =
      absl::StartsWith(line, "*") || absl::StartsWith(line, "/") || absl::StartsWith(line, "#");
  if (before == '{' && absl::StrContains("}:,.!", behind) && !is_comment) return true;
  return absl::StartsWith(line, ">>>") || absl::StartsWith(line, "...") ||
         IsInJsDocExample(text, begin);
}

std::vector<uint32_t> FindDocMentions(absl::string_view doc, const std::string& name,
                                      const std::string& owner, const MentionRules& rules) {
  std::vector<uint32_t> found;
  const bool is_unlike_prose = IsUnlikeProse(name);
  const bool tells_by_capital = absl::ascii_isupper(name[0]) && !rules.has_namesake;
  const size_t first = doc.find_first_not_of(kMarks);
  for (size_t at = 0; (at = FindWord(doc, name, at)) != absl::string_view::npos;
       at += name.size()) {
    // `{{.Cart.Total}}` goes from field to field.
    const bool is_in_template = rules.in_settings && IsInTemplate(doc, at);
    const bool is_first = rules.names_begin && at == first;
    if (!is_in_template && !is_first && IsOfAnother(doc, at, owner, is_unlike_prose, rules))
      continue;
    const bool names_symbol = is_in_template || is_unlike_prose || is_first ||
                              IsMarkedAsCode(doc, at, at + name.size()) ||
                              (rules.in_settings && IsBehindModule(doc, at)) ||
                              (tells_by_capital && IsInsideSentence(doc, at));
    if (names_symbol) found.push_back(static_cast<uint32_t>(at));
  }
  return found;
}

}  // namespace stile
