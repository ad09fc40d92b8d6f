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

// The value with the type that a declaration gave it, in a language whose conversions look like
// calls: `int64(5)`, `(*Order)(p)`.
std::string ConvertedText(absl::string_view type, absl::string_view value);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_OPERAND_TEXT_H_
