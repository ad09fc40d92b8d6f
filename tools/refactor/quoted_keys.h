// Fields of a TypedDict of Python, which code reads by quoted keys.
#ifndef STILE_TOOLS_REFACTOR_QUOTED_KEYS_H_
#define STILE_TOOLS_REFACTOR_QUOTED_KEYS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/resolve/resolver.h"

namespace stile {

// Texts that are the name of `symbol` and may be keys: `order["total"]`, `{"total": 1}`. All are
// likely only; none where the symbol is no field of a TypedDict.
std::vector<RenameCandidate> QuotedKeys(const Resolution& symbol, CodeIndex* index);

// Python. Whether the key at `key` (its text, without quotes) is one of an object of the type that
// declares `field`: `order["total"]`, `order.get("total")`, `order._replace(total=1)`,
// `replace(order, total=1)`. A server knows keys of literals, but not these: it is asked for the
// name of the type of `order`, which has to be that of one type of the project. Blocks while it
// answers; errors of it.
absl::StatusOr<bool> IsKeyOf(const CodeRange& key, const Declaration& field, CodeIndex* index,
                             Resolver* resolver);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_QUOTED_KEYS_H_
