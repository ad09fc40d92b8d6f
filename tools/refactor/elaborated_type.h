// `class Column` of C and C++, by which any code may name or declare a type.
#ifndef STILE_TOOLS_REFACTOR_ELABORATED_TYPE_H_
#define STILE_TOOLS_REFACTOR_ELABORATED_TYPE_H_

#include <cstdint>

#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver.h"

namespace stile {

// Whether `class`, `struct`, `union` or `enum` stands before a name in C or C++.
bool IsElaboratedType(const CodeRange& name, CodeIndex* index);

// Whether such a name can mean the type, which is declared in another file: it stands in the same
// namespace. In another one it would declare a type of that namespace.
bool CanDeclare(const SourceFile& file, uint32_t name, const Declaration& type);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_ELABORATED_TYPE_H_
