// Uses of a symbol that is to be deleted, by a resolver.
#ifndef STILE_TOOLS_REFACTOR_RESOLVED_USES_H_
#define STILE_TOOLS_REFACTOR_RESOLVED_USES_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/safe_delete.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// Asks the resolver of `symbol`, for which `plan` was made, for its references. What it names and
// the plan leaves standing becomes a use; a likely use that it resolves to something else is
// dropped. Returns the resolver's name. Any error but Cancelled: it gave no answer, and the plan is
// as it was. Blocks for a minute at most with each question, see Resolver::SetTimeLimit.
absl::StatusOr<std::string> ConfirmUses(const Resolution& symbol, CodeIndex* index,
                                        ResolverPool* pool, DeletePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RESOLVED_USES_H_
