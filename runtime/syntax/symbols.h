// What one file declares, by runtime/syntax/queries/<grammar>/symbols.scm. Types of values are not
// known to a syntax tree: owners and bases are names as they are written.
#ifndef STILE_RUNTIME_SYNTAX_SYMBOLS_H_
#define STILE_RUNTIME_SYNTAX_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

// Parameters, locals and type parameters are no symbols: see scopes.h.
enum class SymbolKind : uint8_t {
  kNamespace,  // namespaces, modules, package clauses
  kClass,
  kStruct,     // structs and unions, records of C#
  kInterface,  // interfaces, traits, protocols, annotation types, concepts
  kEnum,
  kEnumMember,
  kFunction,
  kMethod,
  kConstructor,
  kField,
  kProperty,  // with accessors: C# properties, indexers and events, get/set of JavaScript
  kConstant,  // declared with the language's word for it, outside a type
  kVariable,  // of the file, a namespace or a module
  kTypeAlias,
  kMacro,
};

// "namespace", "enum_member", … in the spelling of the queries.
absl::string_view SymbolKindName(SymbolKind kind);

// What a container's path ends with: "Server" of "net.Server".
std::string LastComponent(const std::string& path);

// Offsets are bytes into the text that was parsed; an end is one past the last byte.
struct Symbol {
  std::string
      name;  // as written: "run", "operator==", "~Server"; quotes of a quoted name taken off
  SymbolKind kind = SymbolKind::kVariable;
  // Names of what it is declared in, outermost first, joined with "." in every language: of the
  // symbols around it, and before them what the declaration itself says (`func (s *Server) Run`,
  // `impl Server`, `void outer::Server::Run`), without type arguments. "" at the top of the file.
  std::string container;
  uint32_t name_begin = 0;
  uint32_t name_end = 0;
  // The whole declaration with modifiers, decorators, attributes, `export` and `template`, but
  // without its documentation. One of several declarators of a declaration has only its own part.
  uint32_t begin = 0;
  uint32_t end = 0;
  // The comments directly before it, or its docstring; both 0 if there is none. Several declarators
  // share that of their declaration.
  uint32_t doc_begin = 0;
  uint32_t doc_end = 0;
  int line = 0;     // 1-based, of the name
  int column = 0;   // 1-based, in bytes
  int parent = -1;  // index of the symbol that it lies in; see container for what lies elsewhere
  uint32_t signature_end = 0;      // of the head: before the body, `end` if it has none
  std::vector<std::string> bases;  // base types, interfaces, traits: last component, no arguments
  bool is_definition = true;  // false: a prototype, a forward declaration, a method without a body
};

// The symbols of a text, by `begin`, a parent before what it holds. `tree` was parsed from `text`.
// What does not parse is left out; nesting beyond SyntaxQuery::Matches::kMaxDepth, too. A function
// of its arguments; thread-safe as long as `tree` is used by one thread. Costs less than parsing.
std::vector<Symbol> FindSymbols(const Grammar& grammar, const SyntaxTree& tree,
                                absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYMBOLS_H_
