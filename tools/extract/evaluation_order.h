// When a statement evaluates an expression within it, so that the expression can move before the
// statement, or the value of a variable into it.
#ifndef STILE_TOOLS_EXTRACT_EVALUATION_ORDER_H_
#define STILE_TOOLS_EXTRACT_EVALUATION_ORDER_H_

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

// The statement that evaluates the expression exactly once whenever it runs. FailedPrecondition,
// with the reason, where the expression is evaluated in rounds, under a condition, later, or where
// its statement stands in no block.
absl::StatusOr<TSNode> StatementEvaluating(const SourceFile& file, TSNode expression);

// The same within an expression: FailedPrecondition where evaluating `whole` does not evaluate
// `part` of it exactly once.
absl::Status CheckEvaluatedOnce(const SourceFile& file, TSNode part, TSNode whole);

// FailedPrecondition where an assignment writes to the expression.
absl::Status CheckNoTarget(TSNode expression);

// FailedPrecondition where the statement has effects before it comes to the expression, unless
// `value`, which the expression has or shall have, is made of literals only. Where the language
// leaves the order of operands open, others count from wherever they stand.
absl::Status CheckEvaluatedFirst(const SourceFile& file, const SyntaxTree& tree, TSNode expression,
                                 TSNode value, TSNode statement);

// The same for a value that is not in the file: FailedPrecondition where `statement`, or an
// expression in its place, may have effects before it comes to `place`. `is_settled`: see
// IsSettled.
absl::Status CheckNoEffectBefore(const SourceFile& file, TSNode place, TSNode statement,
                                 bool is_settled);

// Whether evaluating the value has no effect, and gives the same before and after every call.
bool IsSettled(const SourceFile& file, const SyntaxTree& tree, TSNode value);

// Whether evaluating it reads what a call could change: a member, an element, a variable of the
// file or one that is assigned again.
bool ReadsChangeable(const SourceFile& file, const SyntaxTree& tree, TSNode value);

// FailedPrecondition where the statement, before it comes to `place`, reads a value that a call
// could change: a member, an element, a variable of the file or one that is assigned again.
absl::Status CheckNothingRead(const SourceFile& file, const SyntaxTree& tree, TSNode place,
                              TSNode statement);

// Whether evaluating it changes a variable itself: `i++`, `i = 1`, `(i := 1)`.
bool ChangesVariable(TSNode value, absl::string_view text);

// Whether the value depends on names.
bool UsesNames(TSNode node);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_EVALUATION_ORDER_H_
