// A call that an expression takes the place of.
#ifndef STILE_TOOLS_REFACTOR_INLINED_CALL_H_
#define STILE_TOOLS_REFACTOR_INLINED_CALL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/inlined_function.h"

namespace stile {

struct InlinedCall {
  const SourceFile& file;
  const SyntaxTree& tree;
  TSNode node{};
  TSNode receiver{};  // null: none is written
  TSNode arguments{};
  const std::vector<TextEdit>* done = nullptr;  // edits of the file, see UseReplacement
};

// The call of the function whose name is `name`. FailedPrecondition, with the place, where the
// function is not called there, or in a way that an expression cannot replace.
absl::StatusOr<InlinedCall> ReadInlinedCall(const SourceFile& file, const SyntaxTree& tree,
                                            TSNode name);

// Whether the call stands in the body of the class that has the function: not in a class within it.
bool IsInClassOf(const InlinedFunction& function, const InlinedCall& call);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINED_CALL_H_
