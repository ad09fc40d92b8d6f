// Strings of TypeScript that are names of members: `Order["total"]`, `Omit<Order, "total">`.
#ifndef STILE_TOOLS_REFACTOR_PROPERTY_KEY_LITERALS_H_
#define STILE_TOOLS_REFACTOR_PROPERTY_KEY_LITERALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/index/source_file.h"

namespace stile {

struct PropertyKeyLiteral {
  uint32_t begin = 0;  // between the quotation marks
  uint32_t end = 0;
  // The type whose key it is, without qualifier and arguments, where one stands beside it; "" for
  // every other string.
  std::string type;
  // It is looked for in an object, `"total" in order`: the key of a type that may not stand there.
  bool is_looked_for = false;
  std::string object_type;  // as the declaration of that object has it; "": it has none
};

// The string literals of the file whose text is `name`, in the order of the text; none where it
// does not parse.
std::vector<PropertyKeyLiteral> FindPropertyKeyLiterals(const SourceFile& file,
                                                        absl::string_view name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PROPERTY_KEY_LITERALS_H_
