// Replaces the uses of a symbol that is inlined.
#ifndef STILE_TOOLS_REFACTOR_INLINE_USES_H_
#define STILE_TOOLS_REFACTOR_INLINE_USES_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/safe_delete.h"

namespace stile {

// FailedPrecondition: "line 7 of shop.py uses it under another name".
absl::Status RefuseUse(const SourceFile& file, TSNode place, absl::string_view how);

// Whether the node is a name, or names joined by dots: evaluating it has no effect.
bool IsPath(TSNode node);

// The name with the path that names its owner: `limits.MAX`. FailedPrecondition where an expression
// that may have effects stands before it.
absl::StatusOr<TSNode> WholeUse(const SourceFile& file, TSNode name);

// FailedPrecondition if a base of the type that declares the symbol, or a derived type, declares
// the same name, or (Python) if a base, a derived class or a decorator can read the members. OK for
// a symbol of no type.
absl::Status CheckDeclaredOnce(const Resolution& resolution, CodeIndex* index);

// The text that takes the place of a use. `done`: earlier edits of this file, in offsets of the
// unchanged text. Those inside of the returned edit are dropped, so that it has to contain them.
using UseReplacement =
    std::function<absl::StatusOr<TextEdit>(const SourceFile& file, const SyntaxTree& tree,
                                           TSNode name, const std::vector<TextEdit>& done)>;

// Adds the edit of `replace` for each of `plan->uses` to `plan->edits`, takes the symbol's name out
// of imports, and empties `plan->uses`. Inner uses come before those that hold them.
// FailedPrecondition, with the reason, where `replace` fails, a use has another name, or a package
// of Go would not be loaded any more although it has code that runs then.
absl::Status ReplaceUses(const Declaration& symbol, const UseReplacement& replace, CodeIndex* index,
                         DeletePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINE_USES_H_
