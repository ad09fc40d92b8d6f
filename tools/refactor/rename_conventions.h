// Names that follow a symbol by a convention which no resolver knows.
#ifndef STILE_TOOLS_REFACTOR_RENAME_CONVENTIONS_H_
#define STILE_TOOLS_REFACTOR_RENAME_CONVENTIONS_H_

#include <string>
#include <vector>

#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"

namespace stile {

// Places of the symbol in its files: parameters that pytest gives a fixture; fields that
// `__slots__`, `getattr(self, "total")` and copies of an object name; keyword arguments of
// `cls(total=1)`; examples of Go. Exact ones mean the symbol whatever a resolver says of them,
// others may. `new_name`: that it gets.
std::vector<RenameCandidate> ConventionalNames(const Resolution& symbol,
                                               const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RENAME_CONVENTIONS_H_
