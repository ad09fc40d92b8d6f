// The declarations that must keep one name: overloads, prototypes, parts, constructors, overrides.
#ifndef STILE_TOOLS_REFACTOR_SYMBOL_FAMILY_H_
#define STILE_TOOLS_REFACTOR_SYMBOL_FAMILY_H_

#include <set>
#include <string>
#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

// Adds to the targets of an unambiguous resolution what has to be renamed or removed with them,
// through every override above and below, as far as the project declares it; sets is_family.
void CompleteFamily(Resolution* resolution, CodeIndex* index);

// Only what is the same declaration in several places: overloads, prototypes, parts.
void CompleteParts(Resolution* resolution);

// Whether two declarations of one name can be the same kind of thing: two members, two types, two
// functions.
bool AreAlike(const Declaration& a, const Declaration& b);

// Whether one file has two prototypes, or two definitions, among those targets of `parts` that are
// like `seed`.
bool HasOverloads(const Declaration& seed, const Resolution& parts);

bool IsMember(SymbolKind kind);

// Whether neither of two members of a name can override or implement the other, whatever their
// types derive from. Go: a type that holds another one has its methods, and overrides none of them.
// C#: `string INamed.Name` implements the member of that interface alone.
bool AreSeparate(const Declaration& a, const Declaration& b);

// Methods of the same name in classes that fit the method's protocol, or in protocols that its
// class fits (Python).
std::vector<Declaration> ProtocolTwins(const Declaration& method,
                                       const std::vector<Declaration>& all);

// Whether a type called `owner` in the file can only be that of the symbol.
bool IsOwnersName(const Resolution& symbol, const std::string& owner, const SourceFile& file);

// The names of all types above one, those of libraries among them, as far as the project tells.
std::set<std::string> TypesAbove(const std::string& type, const Language& language,
                                 CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_SYMBOL_FAMILY_H_
