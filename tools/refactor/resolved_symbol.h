// What a resolver knows of a symbol: every place that names it.
#ifndef STILE_TOOLS_REFACTOR_RESOLVED_SYMBOL_H_
#define STILE_TOOLS_REFACTOR_RESOLVED_SYMBOL_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

struct ResolvedSymbol {
  std::string resolver;  // "gopls 0.5.0"
  // Places that name the symbol, overrides and what they override included, each with the text that
  // stands there after the rename.
  std::map<CodeRange, std::string> edits;
  // Places that hold the name and mean something else.
  std::set<CodeRange> others;
  // Other declarations of the name in code that the resolver does not compile, such as a branch of
  // `#if` or a file for another system: each may belong to the symbol.
  std::set<CodeRange> unseen;
  // `class Column` in code that the resolver cannot read, such as a header without its own
  // includes.
  std::set<CodeRange> unanswered;
  // Bases of the symbol's type whose declaration the resolver does not find.
  std::set<std::string> unknown_bases;
  bool names_every_place = false;  // see Resolver::NamesEveryPlace
  std::string partial;             // as in ResolvedPlaces
};

// Asks the resolver of the file that declares the first target of `resolution`, which is
// unambiguous. `also`: places to look up that no syntax tree takes for the symbol, each with
// the text that stands there if it is renamed. Errors:
//
//   FailedPrecondition  the resolver says that the symbol cannot be renamed
//   Cancelled           the run was cancelled
//   others              no resolver answered, or one answered nonsense; the message says why
absl::StatusOr<ResolvedSymbol> ResolveSymbol(const Resolution& resolution,
                                             const std::string& new_name,
                                             const std::map<CodeRange, std::string>& also,
                                             CodeIndex* index, ResolverPool* pool);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RESOLVED_SYMBOL_H_
