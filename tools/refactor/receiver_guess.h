// What the declaration of a receiver says of its members, where no resolver answers.
#ifndef STILE_TOOLS_REFACTOR_RECEIVER_GUESS_H_
#define STILE_TOOLS_REFACTOR_RECEIVER_GUESS_H_

#include <optional>

#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"

namespace stile {

// Whether the receiver of a member is declared with a type that has `symbol`, or with another that
// has the name, and whether an anonymous class is made of such a type; nullopt where no declaration
// shows it.
std::optional<bool> GuessByReceiver(const Resolution& symbol, const RenameCandidate& candidate);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RECEIVER_GUESS_H_
