// Functions that an unqualified call in a template can mean by the types of its arguments (C++).
#ifndef STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_
#define STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_

#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

// The other functions of the name, outside of types, that keep one name with `function`: a template
// calls the name unqualified, and passes a parameter whose type depends on the template. Such a
// call finds the functions in the name spaces of the types for which the template is used. None for
// other languages and for members. https://en.cppreference.com/w/cpp/language/adl
std::vector<Declaration> DependentTwins(const Declaration& function, const Resolution& resolution);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DEPENDENT_CALLS_H_
