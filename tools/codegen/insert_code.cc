#include "tools/codegen/insert_code.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

absl::string_view Trimmed(absl::string_view text) { return absl::StripAsciiWhitespace(text); }

bool IsBlank(absl::string_view text) { return Trimmed(text).empty(); }

// Whether what follows a member on its line belongs to it.
bool IsTrailing(absl::string_view rest) {
  rest = Trimmed(rest);
  while (absl::ConsumePrefix(&rest, ";") || absl::ConsumePrefix(&rest, ",")) {
  }
  rest = Trimmed(rest);
  return rest.empty() || absl::StartsWith(rest, "//") || absl::StartsWith(rest, "#") ||
         (absl::StartsWith(rest, "/*") && absl::EndsWith(rest, "*/"));
}

bool NextLineIsBlank(absl::string_view text, size_t offset) {
  return offset < text.size() && IsBlank(text.substr(offset, LineEnd(text, offset) - offset));
}

bool LineBeforeIsBlank(absl::string_view text, size_t line_begin) {
  if (line_begin == 0) return true;
  const size_t before = LineBegin(text, line_begin - 1);
  return IsBlank(text.substr(before, line_begin - before));
}

// The member behind which one of `kind` goes; nullopt: first in the body.
std::optional<size_t> AnchorOf(const TypeBody& body, MemberKind kind, bool public_only) {
  std::optional<size_t> same;
  std::optional<size_t> before;
  std::optional<size_t> last;
  for (size_t i = 0; i < body.members.size(); ++i) {
    const TypeMember& member = body.members[i];
    if (public_only && !member.is_public) continue;
    last = i;
    if (member.kind == kind) same = i;
    if (member.kind == MemberKind::kField || member.kind == MemberKind::kProperty) before = i;
  }
  switch (kind) {
    case MemberKind::kField:
    case MemberKind::kProperty:
      return before;
    case MemberKind::kConstructor:
      return same.has_value() ? same : before;
    case MemberKind::kMethod:
      return same.has_value() ? same : last;
    case MemberKind::kOther:
      return last;
  }
  return last;
}

// Whether the type's members of this kind stand without blank lines between.
bool StandTogether(const TypeBody& body, MemberKind kind, absl::string_view text, bool otherwise) {
  for (size_t i = 1; i < body.members.size(); ++i) {
    if (body.members[i].kind != kind || body.members[i - 1].kind != kind) continue;
    const absl::string_view between =
        text.substr(body.members[i - 1].end, body.members[i].begin - body.members[i - 1].end);
    return std::count(between.begin(), between.end(), '\n') < 2;
  }
  return otherwise;
}

// A statement that only stands for a body.
bool IsPlaceholder(absl::string_view text) {
  text = Trimmed(text);
  return text == "pass" || text == "...";
}

}  // namespace

std::string WithNewlines(absl::string_view text, const CodeStyle& style) {
  return style.newline == "\n" ? std::string(text)
                               : absl::StrReplaceAll(text, {{"\n", style.newline}});
}

bool HasLine(absl::string_view text, absl::string_view line) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  return std::any_of(lines.begin(), lines.end(), [&](absl::string_view candidate) {
    return Trimmed(candidate) == Trimmed(line);
  });
}

TextEdit InsertMember(const SourceFile& file, const LanguageFamily& family, const TypeBody& body,
                      const CodeStyle& style, MemberKind kind, absl::string_view code,
                      bool close_up) {
  const absl::string_view text = file.text;
  const bool has_labels = LanguageBackendOf(family.language).generation.access_labels;
  const bool sections =
      has_labels && std::any_of(body.members.begin(), body.members.end(),
                                [](const TypeMember& member) { return !member.is_public; });
  const bool any_public = std::any_of(body.members.begin(), body.members.end(),
                                      [](const TypeMember& member) { return member.is_public; });
  std::string outer(IndentationAt(text, body.declaration_begin));
  std::string inner = outer + style.indent;
  for (const TypeMember& member : body.members) {
    const size_t begin = LineBegin(text, member.begin);
    if (begin > body.begin && IsBlank(text.substr(begin, member.begin - begin))) {
      inner = std::string(IndentationAt(text, member.begin));
      break;
    }
  }
  std::string piece = Indent(code, inner, style, file.grammar);
  const auto edit = [&](size_t begin, size_t end, const std::string& replacement) {
    return TextEdit{static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                    WithNewlines(replacement, style)};
  };
  if (sections && !any_public) {
    piece = absl::StrCat(outer, " public:\n", piece);
  }
  const std::optional<size_t> anchor = AnchorOf(body, kind, sections && any_public);
  const bool one_line =
      text.substr(body.begin, body.end - body.begin).find('\n') == absl::string_view::npos;
  if (!body.has_braces) {
    const absl::string_view block = text.substr(body.begin, body.end - body.begin);
    if (IsPlaceholder(block)) {
      const size_t begin = body.begin;
      const bool own_line =
          IsBlank(text.substr(LineBegin(text, begin), begin - LineBegin(text, begin)));
      if (own_line) return edit(LineBegin(text, begin), body.end, piece);
      size_t from = begin;
      while (from > 0 && text[from - 1] == ' ') --from;
      return edit(from, body.end, absl::StrCat("\n", piece));
    }
  } else if (body.members.empty() && one_line) {
    size_t begin = body.begin;
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    const bool own = style.blocks == BlockStyle::kOwnLine;
    return edit(begin, body.end,
                absl::StrCat(own ? absl::StrCat("\n", outer) : " ", "{\n", piece, "\n", outer));
  } else if (body.members.empty()) {
    const size_t close = LineBegin(text, body.end);
    return edit(close, close, absl::StrCat(piece, "\n"));
  }
  if (anchor.has_value()) {
    const TypeMember& member = body.members[*anchor];
    const size_t line_end = LineEnd(text, member.end);
    const bool is_last = *anchor + 1 == body.members.size();
    // Behind a docstring or a method a blank line; between fields only where the type has them.
    const bool together =
        member.kind == kind &&
        (close_up || kind == MemberKind::kField || kind == MemberKind::kProperty) &&
        StandTogether(body, kind, text, true);
    const bool interface_methods =
        member.kind == kind && body.is_interface && StandTogether(body, kind, text, true);
    const std::string gap = together || interface_methods ? "" : "\n";
    absl::string_view rest = text.substr(member.end, line_end - member.end);
    if (body.has_braces && line_end > body.end)
      rest = text.substr(member.end, body.end - member.end);
    if (body.has_braces && line_end > body.end) {
      // All on one line with the closing brace.
      const size_t keep = member.end + (absl::StartsWith(rest, ";") ? 1 : 0);
      return edit(keep, body.end, absl::StrCat("\n", gap, piece, "\n", outer));
    }
    if (IsTrailing(rest)) {
      const bool has_newline = line_end > 0 && text[line_end - 1] == '\n';
      if (!has_newline) return edit(line_end, line_end, absl::StrCat("\n", gap, piece));
      const bool spaced = !is_last && !NextLineIsBlank(text, line_end) && gap.size() > 0;
      return edit(line_end, line_end, absl::StrCat(gap, piece, "\n", spaced ? "\n" : ""));
    }
    return edit(member.end, member.end, absl::StrCat("\n", gap, piece, "\n", inner));
  }
  // First in the body.
  if (!body.has_braces) {
    const size_t begin = LineBegin(text, body.begin);
    return edit(begin, begin, absl::StrCat(piece, "\n\n"));
  }
  const size_t line_end = LineEnd(text, body.begin);
  const bool brace_ends_line = IsTrailing(text.substr(body.begin + 1, line_end - body.begin - 1));
  const bool method_follows =
      !body.members.empty() && body.members.front().kind != kind && line_end < text.size();
  if (brace_ends_line) {
    return edit(
        line_end, line_end,
        absl::StrCat(piece, "\n", method_follows && !NextLineIsBlank(text, line_end) ? "\n" : ""));
  }
  return edit(body.begin + 1, body.begin + 1, absl::StrCat("\n", piece, "\n", inner));
}

TextEdit InsertBehind(const SourceFile& file, const CodeStyle& style, size_t end,
                      absl::string_view code, int blank_lines) {
  const absl::string_view text = file.text;
  const std::string gap(static_cast<size_t>(blank_lines), '\n');
  size_t at = end >= text.size() ? text.size() : LineEnd(text, end);
  std::string piece;
  const bool at_end = at >= text.size();
  if (at_end && IsBlank(absl::StripPrefix(text, "\xEF\xBB\xBF"))) {
    piece = absl::StrCat(code, "\n");
    return {static_cast<uint32_t>(at), static_cast<uint32_t>(at), WithNewlines(piece, style)};
  }
  if (at_end && text.back() != '\n') {
    piece = absl::StrCat("\n", gap, code);
  } else {
    piece = absl::StrCat(LineBeforeIsBlank(text, at) && blank_lines > 0 ? gap.substr(1) : gap, code,
                         "\n");
    const bool closes = absl::StartsWith(absl::StripLeadingAsciiWhitespace(text.substr(at)), "}");
    if (!at_end && !NextLineIsBlank(text, at) && !closes) absl::StrAppend(&piece, gap);
  }
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(at), WithNewlines(piece, style)};
}

TextEdit InsertImport(const SourceFile& file, const SyntaxTree& tree, const CodeStyle& style,
                      absl::string_view line) {
  const absl::string_view text = file.text;
  const auto at_line = [&](size_t offset, bool blank_before, bool blank_after) {
    const bool unended = offset > 0 && offset == text.size() && text.back() != '\n';
    return TextEdit{static_cast<uint32_t>(offset), static_cast<uint32_t>(offset),
                    WithNewlines(absl::StrCat(unended ? "\n" : "", blank_before ? "\n" : "", line,
                                              "\n", blank_after ? "\n" : ""),
                                 style)};
  };
  // Only those of the top: one inside a function says nothing about where others go.
  size_t end = 0;
  for (const Import& import : FindImports(file.grammar, tree, text)) {
    const size_t begin = LineBegin(text, import.begin);
    if (begin != import.begin && !absl::StartsWith(Trimmed(text.substr(begin)), "import")) continue;
    end = std::max<size_t>(end, import.end);
  }
  if (end > 0) {
    const size_t after = text[end - 1] == '\n' ? end : LineEnd(text, end);
    // Into the list there is.
    if (LanguageBackendOf(file.language.id).generation.import_lists) {
      const absl::string_view rest = Trimmed(text.substr(after));
      if (absl::StartsWith(rest, ")")) {
        absl::string_view spec = line;
        absl::ConsumePrefix(&spec, "import ");
        return {static_cast<uint32_t>(after), static_cast<uint32_t>(after),
                WithNewlines(absl::StrCat("\t", spec, "\n"), style)};
      }
    }
    return at_line(after, false, false);
  }
  // Below what has to be first.
  size_t at = absl::StartsWith(text, "\xEF\xBB\xBF") ? 3 : 0;
  const size_t top = at;
  for (const TSNode node : NamedChildren(tree.root())) {
    const absl::string_view type = TypeOf(node);
    const bool is_docstring = type == "expression_statement" && at == top &&
                              IsNode(ts_node_named_child(node, 0), "string");
    if (type == "preproc_ifdef") {  // a guard
      const TSNode define = ChildOf(node, "preproc_def");
      if (!ts_node_is_null(define)) at = EndOf(define);
      break;
    }
    const bool stays = type == "package_declaration" || type == "package_clause" ||
                       type == "hash_bang_line" || is_docstring ||
                       (absl::StartsWith(type, "preproc") && !absl::StartsWith(type, "preproc_if"));
    if (!stays && !IsComment(node)) break;
    const size_t line_end = LineEnd(text, EndOf(node) - (text[EndOf(node) - 1] == '\n' ? 1 : 0));
    // A comment that stands right above code documents it.
    if (IsComment(node) && !NextLineIsBlank(text, line_end) && line_end < text.size()) {
      const absl::string_view next = Trimmed(text.substr(line_end));
      if (!absl::StartsWith(next, "//") && !absl::StartsWith(next, "#") &&
          !absl::StartsWith(next, "package") && !absl::StartsWith(TextOf(node, text), "#!")) {
        break;
      }
    }
    at = line_end;
  }
  const bool blank_before = at > top && !LineBeforeIsBlank(text, at);
  const bool blank_after = at < text.size() && !NextLineIsBlank(text, at);
  return at_line(at, blank_before, blank_after);
}

}  // namespace stile
