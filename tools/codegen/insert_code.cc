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

// One member that goes into a type.
class MemberInsertion {
 public:
  MemberInsertion(const SourceFile& file, const LanguageFamily& family, const TypeBody& body,
                  const CodeStyle& style, MemberKind kind, absl::string_view code, bool close_up)
      : text_(file.text),
        body_(body),
        style_(style),
        kind_(kind),
        close_up_(close_up),
        outer_(IndentationAt(text_, body.declaration_begin)),
        inner_(IndentationOfMembers()),
        piece_(Indent(code, inner_, style, file.grammar)) {
    const auto is_public = [](const TypeMember& member) { return member.is_public; };
    const bool has_sections = LanguageBackendOf(family.language).generation.access_labels &&
                              !std::all_of(body.members.begin(), body.members.end(), is_public);
    const bool any_public = std::any_of(body.members.begin(), body.members.end(), is_public);
    if (has_sections && !any_public) piece_ = absl::StrCat(outer_, " public:\n", piece_);
    anchor_ = AnchorOf(body, kind, has_sections && any_public);
  }

  TextEdit Edit() const {
    const absl::string_view block = text_.substr(body_.begin, body_.end - body_.begin);
    if (!body_.has_braces && IsPlaceholder(block)) return InPlaceOfPlaceholder();
    if (!body_.has_braces && StandsOnHead()) return BehindBodyOnHead();
    if (body_.has_braces && body_.members.empty()) {
      return absl::StrContains(block, '\n') ? AtEndOfBody() : IntoOneLineBody();
    }
    return anchor_.has_value() ? Behind(*anchor_) : First();
  }

 private:
  std::string IndentationOfMembers() const {
    if (!body_.has_braces && !StandsOnHead()) {
      return std::string(IndentationAt(text_, body_.begin));
    }
    for (const TypeMember& member : body_.members) {
      const size_t begin = LineBegin(text_, member.begin);
      if (begin > body_.begin && IsBlank(text_.substr(begin, member.begin - begin)))
        return std::string(IndentationAt(text_, member.begin));
    }
    return outer_ + style_.indent;
  }

  // `class A: x = 1`.
  bool StandsOnHead() const {
    const size_t line = LineBegin(text_, body_.begin);
    return !IsBlank(text_.substr(line, body_.begin - line));
  }

  TextEdit BehindBodyOnHead() const {
    // With a comment behind it.
    const size_t end =
        body_.end + absl::StripTrailingAsciiWhitespace(
                        text_.substr(body_.end, LineEnd(text_, body_.end) - body_.end))
                        .size();
    const absl::string_view body = text_.substr(body_.begin, end - body_.begin);
    const absl::string_view gap = kind_ == MemberKind::kField ? "" : "\n";
    return Replace(WithoutSpacesBefore(body_.begin), end,
                   absl::StrCat("\n", inner_, body, "\n", gap, piece_));
  }

  // The end of a docstring that begins the body; 0: there is none.
  size_t EndOfDocstring() const {
    absl::string_view rest = text_.substr(body_.begin);
    if (!rest.empty() && absl::StrContains("rRuU", rest.substr(0, 1))) rest.remove_prefix(1);
    for (const absl::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
      if (!absl::StartsWith(rest, quote)) continue;
      size_t end = quote.size();
      while (end < rest.size() && !absl::StartsWith(rest.substr(end), quote)) {
        end += rest[end] == '\\' ? 2 : 1;
      }
      const size_t begin = static_cast<size_t>(rest.data() - text_.data());
      return std::min(begin + end + quote.size(), text_.size());
    }
    return 0;
  }

  TextEdit Replace(size_t begin, size_t end, const std::string& replacement) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
            WithNewlines(replacement, style_)};
  }
  TextEdit InsertAt(size_t at, const std::string& lines) const { return Replace(at, at, lines); }

  size_t WithoutSpacesBefore(size_t at) const {
    while (at > 0 && text_[at - 1] == ' ') --at;
    return at;
  }

  TextEdit InPlaceOfPlaceholder() const {
    const size_t line = LineBegin(text_, body_.begin);
    if (IsBlank(text_.substr(line, body_.begin - line))) return Replace(line, body_.end, piece_);
    return Replace(WithoutSpacesBefore(body_.begin), body_.end, absl::StrCat("\n", piece_));
  }

  TextEdit IntoOneLineBody() const {
    const std::string before =
        style_.blocks == BlockStyle::kOwnLine ? absl::StrCat("\n", outer_) : " ";
    return Replace(WithoutSpacesBefore(body_.begin), body_.end,
                   absl::StrCat(before, "{\n", piece_, "\n", outer_));
  }

  TextEdit AtEndOfBody() const {
    return InsertAt(LineBegin(text_, body_.end), absl::StrCat(piece_, "\n"));
  }

  // What stands between the new member and the one before: behind a docstring or a method a blank
  // line; between fields only where the type has them.
  std::string GapBehind(const TypeMember& member) const {
    const bool may_close_up = close_up_ || body_.is_interface || kind_ == MemberKind::kField ||
                              kind_ == MemberKind::kProperty;
    const bool together =
        member.kind == kind_ && may_close_up && StandTogether(body_, kind_, text_, true);
    return together ? "" : "\n";
  }

  TextEdit Behind(size_t index) const {
    const TypeMember& member = body_.members[index];
    const std::string gap = GapBehind(member);
    const size_t line_end = LineEnd(text_, member.end);
    if (body_.has_braces && line_end > body_.end) {
      // All on one line with the closing brace.
      const bool has_semicolon =
          absl::StartsWith(text_.substr(member.end, body_.end - member.end), ";");
      const size_t begin = member.end + (has_semicolon ? 1 : 0);
      size_t rest = begin;
      while (rest < body_.end && IsBlank(text_.substr(rest, 1))) ++rest;
      // Other members follow on the line.
      if (rest < body_.end) {
        return Replace(begin, rest, absl::StrCat("\n", gap, piece_, "\n", inner_));
      }
      return Replace(begin, body_.end, absl::StrCat("\n", gap, piece_, "\n", outer_));
    }
    if (!IsTrailing(text_.substr(member.end, line_end - member.end)))
      return InsertAt(member.end, absl::StrCat("\n", gap, piece_, "\n", inner_));
    const bool has_newline = line_end > 0 && text_[line_end - 1] == '\n';
    if (!has_newline) return InsertAt(line_end, absl::StrCat("\n", gap, piece_));
    const bool is_last = index + 1 == body_.members.size();
    const bool spaced = !is_last && !NextLineIsBlank(text_, line_end) && !gap.empty();
    return InsertAt(line_end, absl::StrCat(gap, piece_, "\n", spaced ? "\n" : ""));
  }

  TextEdit First() const {
    if (!body_.has_braces) {
      const size_t doc_end = EndOfDocstring();
      if (doc_end == 0) {
        return InsertAt(LineBegin(text_, body_.begin), absl::StrCat(piece_, "\n\n"));
      }
      const size_t line_end = LineEnd(text_, doc_end);
      if (line_end == 0 || text_[line_end - 1] != '\n') {
        return InsertAt(line_end, absl::StrCat("\n\n", piece_));
      }
      const bool spaced = line_end < text_.size() && !NextLineIsBlank(text_, line_end);
      return InsertAt(line_end, absl::StrCat("\n", piece_, "\n", spaced ? "\n" : ""));
    }
    const size_t line_end = LineEnd(text_, body_.begin);
    const bool brace_ends_line =
        IsTrailing(text_.substr(body_.begin + 1, line_end - body_.begin - 1));
    if (!brace_ends_line)
      return InsertAt(body_.begin + 1, absl::StrCat("\n", piece_, "\n", inner_));
    const bool other_follows = !body_.members.empty() && body_.members.front().kind != kind_ &&
                               line_end < text_.size() && !NextLineIsBlank(text_, line_end);
    return InsertAt(line_end, absl::StrCat(piece_, "\n", other_follows ? "\n" : ""));
  }

  const absl::string_view text_;
  const TypeBody& body_;
  const CodeStyle& style_;
  const MemberKind kind_;
  const bool close_up_;
  const std::string outer_;  // indentation of the type
  const std::string inner_;  // … of its members
  std::string piece_;        // the code, indented
  std::optional<size_t> anchor_;
};

// Of the imports at the top; 0: there are none. One inside a function says nothing about where
// others go.
size_t EndOfImports(const SourceFile& file, const SyntaxTree& tree) {
  const absl::string_view text = file.text;
  size_t end = 0;
  for (const Import& import : FindImports(file.grammar, tree, text)) {
    const size_t begin = LineBegin(text, import.begin);
    if (begin != import.begin && !absl::StartsWith(Trimmed(text.substr(begin)), "import")) continue;
    end = std::max<size_t>(end, import.end);
  }
  return end;
}

// Behind the byte order mark.
size_t TopOf(absl::string_view text) { return absl::StartsWith(text, "\xEF\xBB\xBF") ? 3 : 0; }

// Whether a comment that ends its line at `line_end` stands right above code, which it documents.
bool DocumentsCode(const TSNode comment, absl::string_view text, size_t line_end) {
  if (NextLineIsBlank(text, line_end) || line_end >= text.size()) return false;
  const absl::string_view next = Trimmed(text.substr(line_end));
  return !absl::StartsWith(next, "//") && !absl::StartsWith(next, "#") &&
         !absl::StartsWith(next, "package") && !absl::StartsWith(TextOf(comment, text), "#!");
}

// Lines that must stay first in a file: package clause, license, shebang, docstring, pragma.
size_t EndOfPreamble(absl::string_view text, const SyntaxTree& tree) {
  const size_t top = TopOf(text);
  size_t end = top;
  for (const TSNode node : NamedChildren(tree.root())) {
    const absl::string_view type = TypeOf(node);
    if (type == "preproc_ifdef") {  // a guard
      const TSNode define = ChildOf(node, "preproc_def");
      return ts_node_is_null(define) ? end : EndOf(define);
    }
    const bool is_docstring = type == "expression_statement" && end == top &&
                              IsNode(ts_node_named_child(node, 0), "string");
    const bool stays = type == "package_declaration" || type == "package_clause" ||
                       type == "hash_bang_line" || is_docstring ||
                       (absl::StartsWith(type, "preproc") && !absl::StartsWith(type, "preproc_if"));
    if (!stays && !IsComment(node)) break;
    const size_t line_end = LineEnd(text, EndOf(node) - (text[EndOf(node) - 1] == '\n' ? 1 : 0));
    if (IsComment(node) && DocumentsCode(node, text, line_end)) break;
    end = line_end;
  }
  return end;
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
  return MemberInsertion(file, family, body, style, kind, code, close_up).Edit();
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
  const size_t end = EndOfImports(file, tree);
  if (end > 0) {
    const size_t after = text[end - 1] == '\n' ? end : LineEnd(text, end);
    const bool in_list = LanguageBackendOf(file.language.id).generation.import_lists &&
                         absl::StartsWith(Trimmed(text.substr(after)), ")");
    if (!in_list) return at_line(after, false, false);
    return {static_cast<uint32_t>(after), static_cast<uint32_t>(after),
            WithNewlines(absl::StrCat("\t", absl::StripPrefix(line, "import "), "\n"), style)};
  }
  const size_t top = TopOf(text);
  const size_t at = EndOfPreamble(text, tree);
  const bool blank_before = at > top && !LineBeforeIsBlank(text, at);
  const bool blank_after = at < text.size() && !NextLineIsBlank(text, at);
  return at_line(at, blank_before, blank_after);
}

}  // namespace stile
