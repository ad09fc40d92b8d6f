// Functions that an unqualified call in a template can mean by the types of its arguments (C++).
#ifndef STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_
#define STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_

#include <string>
#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

// Whether a file has a call of `name`, unqualified and in a template, with an argument that is a
// parameter of the template's function and whose type depends on the template: it means the
// functions of the name that stand in the name spaces of the types for which the template is used.
// https://en.cppreference.com/w/cpp/language/adl
bool HasDependentCall(const SourceFile& file, const std::string& name);

// The other functions of the name, outside of types, if any file of the resolution has such a call:
// they keep one name with `function`. None for other languages and for members.
std::vector<Declaration> DependentTwins(const Declaration& function, const Resolution& resolution);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_
