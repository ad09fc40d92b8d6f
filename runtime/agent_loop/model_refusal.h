// Which errors of a model's provider no other attempt can help.
#ifndef STILE_RUNTIME_AGENT_LOOP_MODEL_REFUSAL_H_
#define STILE_RUNTIME_AGENT_LOOP_MODEL_REFUSAL_H_

#include "absl/status/status.h"

namespace stile {

// Whether another run now would end in the same way. `status`: an error of ChatModel::Complete. The
// key, the permission or the credit is missing, or the provider cannot be reached, which the model
// has tried several times (Unavailable, DeadlineExceeded). A request that the provider cannot use
// (InvalidArgument) and a reply that cannot be read (DataLoss) are final for the first request of a
// run (`is_first`): the name of the model or the address is wrong. Later the conversation itself
// may be the reason.
bool IsFinalRefusal(const absl::Status& status, bool is_first);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_MODEL_REFUSAL_H_
