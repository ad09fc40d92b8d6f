// Which errors of a model's provider no other attempt can help.
#ifndef STILE_RUNTIME_LOOP_MODEL_REFUSAL_H_
#define STILE_RUNTIME_LOOP_MODEL_REFUSAL_H_

#include "absl/status/status.h"

namespace stile {

// Whether the provider will refuse every other attempt, too: the key, the permission, or the credit
// is missing. A request that it cannot use (InvalidArgument) is final for the first one of a
// conversation
// (`is_first`), where the name of the model is wrong; later the conversation itself may be the
// reason.
bool IsFinalRefusal(const absl::Status& status, bool is_first);

}  // namespace stile

#endif  // STILE_RUNTIME_LOOP_MODEL_REFUSAL_H_
