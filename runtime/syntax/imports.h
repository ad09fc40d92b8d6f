// What a file takes from elsewhere, by runtime/syntax/queries/<grammar>/imports.scm. Captures:
// @import the statement, @module, @name, @alias, @wildcard, and @place, which tells two matches
// apart where a name does not.
#ifndef STILE_RUNTIME_SYNTAX_IMPORTS_H_
#define STILE_RUNTIME_SYNTAX_IMPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

struct Import {
  std::string module;  // path, package, module or header as written, without quotes or brackets
  std::string name;  // the one name that is imported, "*" for all of them, "" for the module itself
  std::string alias;   // the name it has in this file, where it is another
  uint32_t begin = 0;  // of the statement, in bytes
  uint32_t end = 0;
};

// In the order of the text; a statement that brings several names gives several, and a re-export
// (`export { x } from "m"`) counts. `tree` was parsed from `text`. Names in lists of Rust that are
// nested more than once have the innermost path for their module.
std::vector<Import> FindImports(const Grammar& grammar, const SyntaxTree& tree,
                                absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_IMPORTS_H_
