// Where new code goes in a file that exists, and how it gets the file's own look.
#ifndef STILE_TOOLS_CODEGEN_INSERT_CODE_H_
#define STILE_TOOLS_CODEGEN_INSERT_CODE_H_

#include <string>

#include "runtime/syntax/syntax_tree.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/source_file.h"
#include "tools/language/code_style.h"
#include "tools/language/type_body.h"

namespace stile {

// `code` in pieces as for Indent, as a member of the type: fields behind the other fields,
// constructors behind them, methods behind the last method. `close_up`: no blank line between it
// and a neighbour of its kind.
TextEdit InsertMember(const SourceFile& file, const LanguageFamily& family, const TypeBody& body,
                      const CodeStyle& style, MemberKind kind, absl::string_view code,
                      bool close_up = false);

// `code` as lines behind the declaration that ends at `end`, or at the end of the file for
// text.size(), with `blank_lines` between. A last line without an end stays one.
TextEdit InsertBehind(const SourceFile& file, const CodeStyle& style, size_t end,
                      absl::string_view code, int blank_lines);

// Lines for the top of the file: imports. Behind the imports there are, else below what has to stay
// first (package clause, license, shebang, docstring, pragma).
TextEdit InsertImport(const SourceFile& file, const SyntaxTree& tree, const CodeStyle& style,
                      absl::string_view line);
// Whether the file has the line already.
bool HasLine(absl::string_view text, absl::string_view line);

// "\n" as the line ends of the style.
std::string WithNewlines(absl::string_view text, const CodeStyle& style);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_INSERT_CODE_H_
