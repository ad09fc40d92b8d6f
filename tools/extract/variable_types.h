// Types of variables and expressions: as they are declared, as a literal shows them, or as a
// compiler names them when it is given a mistake on purpose.
#ifndef STILE_TOOLS_EXTRACT_VARIABLE_TYPES_H_
#define STILE_TOOLS_EXTRACT_VARIABLE_TYPES_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

// As written where the binding is declared, or as its first value shows; "" where neither tells.
std::string DeclaredType(const SourceFile& file, const SyntaxTree& tree, int binding);

// Of an expression of the file by its parts; "" where they do not tell.
std::string ShownType(const SourceFile& file, const SyntaxTree& tree, TSNode value);

// Of an expression as it would be evaluated before the statement that begins at `at`.
// FailedPrecondition, saying what is missing, where nobody can tell.
absl::StatusOr<std::string> TypeOfExpression(const SourceFile& file, const std::string& expression,
                                             uint32_t at, const ProbeEdits& probe);

// FailedPrecondition, with both types, if a declaration of type `written` converts the value:
// alone, the value is of another type, or of one that is not known. `subject` is what is declared,
// for the message. `at` as above. OK for `written` "".
absl::Status CheckHasType(const SourceFile& file, const SyntaxTree& tree, TSNode value,
                          const std::string& written, absl::string_view subject, uint32_t at,
                          const ProbeEdits& probe);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_VARIABLE_TYPES_H_
