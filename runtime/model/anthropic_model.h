#ifndef STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_
#define STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_

#include <memory>

#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// Anthropic Messages, streaming, with prompt caching. `clock` not owned.
std::unique_ptr<ChatModel> NewAnthropicModel(ProviderEndpoint endpoint,
                                             std::unique_ptr<HttpClient> http, Clock* clock);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_ANTHROPIC_MODEL_H_
