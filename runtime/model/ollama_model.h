#ifndef STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_
#define STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_

#include <cstdint>
#include <memory>

#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// Ollama's /api/chat. `context_tokens` is sent as num_ctx; `clock` not owned.
std::unique_ptr<ChatModel> NewOllamaModel(ProviderEndpoint endpoint, int64_t context_tokens,
                                          std::unique_ptr<HttpClient> http, Clock* clock);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OLLAMA_MODEL_H_
