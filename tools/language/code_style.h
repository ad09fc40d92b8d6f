// How a file is written, so that what is added to it looks as if it had been there.
#ifndef STILE_TOOLS_LANGUAGE_CODE_STYLE_H_
#define STILE_TOOLS_LANGUAGE_CODE_STYLE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/language/language_family.h"

namespace stile {

struct CodeStyle {
  std::string indent;  // one level
  std::string newline = "\n";
  std::string quote = "'";  // of strings, where a language has two kinds
  BlockStyle blocks = BlockStyle::kSameLine;
};

// What `text` shows, and for what it does not show the habits of the language.
CodeStyle StyleOf(absl::string_view text, const LanguageFamily& family);

// Code in pieces that know no place yet: lines with "\n" and one tab a level, or as somebody wrote
// them. Without the indentation that all its lines share, and without blank lines around.
// Lines of `in_strings` (from 0) are left as they are.
std::string Dedent(absl::string_view code, const std::set<size_t>& in_strings = {});
// Rows (from 0) that begin inside a string of the node: their blanks mean something.
void AddLinesInStrings(TSNode node, std::set<size_t>* rows);

// `code` at a place: every line behind `prefix`, except blank ones and those that begin inside a
// string; leading tabs, or what `code` itself uses for a level, become `style.indent`. Line ends
// stay "\n"; none behind the last line.
std::string Indent(absl::string_view code, absl::string_view prefix, const CodeStyle& style,
                   const Grammar& grammar);

// "head {\n<body>\n}" in the style, in pieces; `body` is indented as it was written. An empty body
// gives an empty block.
std::string Block(absl::string_view head, absl::string_view body, const CodeStyle& style,
                  const Grammar& grammar);

// The blanks at the beginning of the line that holds `offset`.
absl::string_view IndentationAt(absl::string_view text, size_t offset);
size_t LineBegin(absl::string_view text, size_t offset);
size_t LineEnd(absl::string_view text, size_t offset);  // behind its newline

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_CODE_STYLE_H_
