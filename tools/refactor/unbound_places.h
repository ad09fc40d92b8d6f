// Places that may mean a symbol although no scope binds their name to it.
#ifndef STILE_TOOLS_REFACTOR_UNBOUND_PLACES_H_
#define STILE_TOOLS_REFACTOR_UNBOUND_PLACES_H_

#include <string>
#include <vector>

#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"

namespace stile {

// In the files of `symbol`, whose targets are methods: methods of the name in anonymous classes,
// which are no symbols. Those of one class are a group.
std::vector<RenameCandidate> AnonymousMembers(const Resolution& symbol);

// … and in interfaces without a name, which a type assertion of Go may look for while the program
// runs: no compiler misses them.
std::vector<RenameCandidate> UnnamedInterfaces(const Resolution& symbol);

// Targets that a comment of JavaScript declares: `@property {number} size`. They are exact.
std::vector<RenameCandidate> DeclaredInComments(const Resolution& symbol);

// Where other files read a key of the object that a CommonJS module exports: `const { parse } =
// require("./parser")`, `require("./parser").parse`. The targets have to be such keys, for example
// `exports.parse = function`. Places are exact, and renamed to `new_name`, if the path is that of
// the targets' file. Keys of patterns whose object is not known are likely only.
std::vector<RenameCandidate> RequiredNames(const Resolution& symbol, const std::string& new_name);

// Members and keys of patterns that may mean an export of a module which is a value somewhere (see
// module_values.h): those whose object no declaration of the file tells. All are likely only.
std::vector<RenameCandidate> MembersOfModules(const Resolution& symbol, const std::string& new_name,
                                              CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_UNBOUND_PLACES_H_
