// Requests to Chat Completions, in the dialects of those who speak it.
#ifndef STILE_RUNTIME_MODEL_OPENAI_CHAT_H_
#define STILE_RUNTIME_MODEL_OPENAI_CHAT_H_

#include <memory>

#include "runtime/model/message.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// `endpoint` and `request` outlive the result.
std::unique_ptr<ProviderRequest> NewOpenAiChatRequest(const ProviderEndpoint& endpoint,
                                                      const ModelRequest& request);

// A name for what requests of one conversation begin with, for `prompt_cache_key`.
std::string PromptCacheKey(const ModelRequest& request);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OPENAI_CHAT_H_
