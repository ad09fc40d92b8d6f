// A model that answers while another one is overloaded.
#ifndef STILE_RUNTIME_MODEL_FALLBACK_MODEL_H_
#define STILE_RUNTIME_MODEL_FALLBACK_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"

namespace stile {

// Asks `first` until it is unavailable, times out or is rate limited after its own retries; from
// then on asks `second`, for the rest of the conversation. Other errors are returned.
std::unique_ptr<ChatModel> NewFallbackModel(std::unique_ptr<ChatModel> first,
                                            std::unique_ptr<ChatModel> second);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_FALLBACK_MODEL_H_
