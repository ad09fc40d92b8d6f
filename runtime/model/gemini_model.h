// Models that speak Google's generateContent.
#ifndef STILE_RUNTIME_MODEL_GEMINI_MODEL_H_
#define STILE_RUNTIME_MODEL_GEMINI_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// streamGenerateContent of the Gemini API, with thought signatures. Source: the API's reference and
// its guide to thought signatures.
std::unique_ptr<ChatModel> NewGeminiModel(std::unique_ptr<ProviderCaller> caller);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_GEMINI_MODEL_H_
