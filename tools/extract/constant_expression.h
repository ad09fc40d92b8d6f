// Expressions of literals alone: they have the same value wherever they stand.
#ifndef STILE_TOOLS_EXTRACT_CONSTANT_EXPRESSION_H_
#define STILE_TOOLS_EXTRACT_CONSTANT_EXPRESSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"
#include "tools/language/language_backend.h"

namespace stile {

// Whether the node is made of literals and operators only, and no object with an identity of its
// own (lists, regular expressions) is among them.
bool IsConstantExpression(TSNode node, absl::string_view text);

// The expression of literals that is meant on lines counted from 1: `wanted`, or the only one.
// InvalidArgument with the candidates where it is not clear; FailedPrecondition where a name in its
// place would mean something else, such as in a pattern, a key, an import or a docstring.
absl::StatusOr<TSNode> ChooseConstant(const SourceFile& file, const SyntaxTree& tree,
                                      int start_line, int end_line, const std::string& wanted);

// The type that a declaration needs for it; "" where the text does not show one. Languages that
// infer types get one as well.
std::string ConstantType(const LanguageBackend& language, TSNode node, absl::string_view text);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_CONSTANT_EXPRESSION_H_
