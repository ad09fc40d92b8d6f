// Whether a literal may stand where a program names a constant.
#ifndef STILE_TOOLS_REFACTOR_LITERAL_PLACE_H_
#define STILE_TOOLS_REFACTOR_LITERAL_PLACE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/index/code_index.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// FailedPrecondition, with the line and the reason, where the program could do something else if
// `literal` stood in place of `use`, a name with what names its owner: the place writes to the
// name, takes its address, shows it, asks for its type, binds a reference to it, or chooses an
// overload for temporary values.
absl::Status CheckLiteralFits(const SourceFile& file, const SyntaxTree& tree, TSNode use,
                              absl::string_view literal, CodeIndex* index);

// Where a path of names before `end` begins (`limits::` of `limits::MAX`): the tokens of a macro
// are no nodes.
uint32_t PathBegin(absl::string_view text, uint32_t end);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_LITERAL_PLACE_H_
