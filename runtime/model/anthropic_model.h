// Models that speak Anthropic Messages.
#ifndef STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_
#define STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Streams, with prompt caching.
std::unique_ptr<ChatModel> NewAnthropicModel(std::unique_ptr<ProviderCaller> caller);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_
