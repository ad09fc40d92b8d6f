// An expression in the place of a name.
#ifndef STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_
#define STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// The text of `value` as it can replace the name `use`: in brackets where operators around the name
// could bind to a part of it. Both are nodes of `text`.
std::string OperandText(TSNode value, TSNode use, absl::string_view text);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_
