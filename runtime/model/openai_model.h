#ifndef STILE_RUNTIME_MODEL_OPENAI_MODEL_H_
#define STILE_RUNTIME_MODEL_OPENAI_MODEL_H_

#include <memory>

#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// Chat Completions of OpenAI and of the many servers that speak the same: streaming or not, with or
// without usage, arguments as text or as an object. `clock` not owned.
std::unique_ptr<ChatModel> NewOpenAiModel(ProviderEndpoint endpoint,
                                          std::unique_ptr<HttpClient> http, Clock* clock);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OPENAI_MODEL_H_
