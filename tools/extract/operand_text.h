// An expression in the place of a name.
#ifndef STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_
#define STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// The text of `value`, a node of `value_text`, as it can replace the name `use`, a node of `text`:
// in brackets where operators around the name could bind to a part of it.
std::string OperandText(TSNode value, absl::string_view value_text, TSNode use,
                        absl::string_view text);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_
