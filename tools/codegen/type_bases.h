#ifndef STILE_TOOLS_CODEGEN_TYPE_BASES_H_
#define STILE_TOOLS_CODEGEN_TYPE_BASES_H_

#include <string>
#include <vector>

#include "tools/codegen/code_site.h"

namespace stile {

// Says in the head of the type that it has the interfaces, written with their type arguments;
// nothing where it says so. Types of Go say no such thing.
void AddBases(const TypeSite& type, const std::vector<std::string>& interfaces, EditPlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_TYPE_BASES_H_
