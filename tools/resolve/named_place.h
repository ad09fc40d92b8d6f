// What a name means at a place that somebody points at.
#ifndef STILE_TOOLS_RESOLVE_NAMED_PLACE_H_
#define STILE_TOOLS_RESOLVE_NAMED_PLACE_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// Resolve, with the help of a resolver where the line of the query holds the name and scope does
// not bind it there: a member of a receiver, a key, code that the syntax tree does not understand.
// Each answer of the resolver is awaited for `limit` at most; to start it may take longer
// (server_setup.h). Without an answer the result is that of Resolve.
// FailedPrecondition where the name means something outside of the workspace; Cancelled; else as
// Resolve. `pool` may be null.
absl::StatusOr<Resolution> ResolvePlace(const SymbolQuery& query, CodeIndex* index,
                                        ResolverPool* pool, absl::Duration limit);

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_NAMED_PLACE_H_
