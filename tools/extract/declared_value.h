// The declaration of one name: its value and its type, as they are written.
#ifndef STILE_TOOLS_EXTRACT_DECLARED_VALUE_H_
#define STILE_TOOLS_EXTRACT_DECLARED_VALUE_H_

#include <string>

#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// The declarator, constant, field or assignment that gives `name` its first value; null where none
// is around it.
TSNode DeclaratorAround(TSNode name);

// The value of a declarator; null where there is not exactly one.
TSNode ValueOf(TSNode declarator);

// The type of `name`; "" where it is inferred. `statement`: the whole declaration. In C and C++ it
// holds the words before the type, too, such as `static const char *`.
std::string WrittenType(const SourceFile& file, TSNode statement, TSNode declarator, TSNode name);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_DECLARED_VALUE_H_
