// Models of an Ollama server.
#ifndef STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_
#define STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Ollama's /api/chat. `context_tokens` is sent as num_ctx.
std::unique_ptr<ChatModel> NewOllamaModel(std::unique_ptr<ProviderCaller> caller,
                                          int64_t context_tokens);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_
