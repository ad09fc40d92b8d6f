// Models that speak Chat Completions or the Responses API of OpenAI.
#ifndef STILE_RUNTIME_MODEL_OPENAI_MODEL_H_
#define STILE_RUNTIME_MODEL_OPENAI_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Streams. Which API is asked: endpoint.api, else Responses for models that reason at OpenAI's own
// address and for those that have no other API (Codex, "pro"), else Chat Completions. A server that
// answers the model at the other API only is asked there from then on, unless endpoint.api is set.
std::unique_ptr<ChatModel> NewOpenAiModel(std::unique_ptr<ProviderCaller> caller);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OPENAI_MODEL_H_
