// Requests to and replies of OpenAI's Responses API.
#ifndef STILE_RUNTIME_MODEL_OPENAI_RESPONSES_H_
#define STILE_RUNTIME_MODEL_OPENAI_RESPONSES_H_

#include <memory>

#include "runtime/model/message.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Nothing is stored at the provider: the whole conversation is sent, with the items of earlier
// replies as they came, encrypted reasoning included. A reply's provider_data is
// {"responses_items": […]}. `endpoint` and `request` outlive the result.
std::unique_ptr<ProviderRequest> NewOpenAiResponsesRequest(const ProviderEndpoint& endpoint,
                                                           const ModelRequest& request);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OPENAI_RESPONSES_H_
