#include "runtime/model/provider_keys.h"

namespace stile {

const std::vector<std::string>& ProviderKeyVariables() {
  static const auto* const variables = new std::vector<std::string>{
      "OPENAI_API_KEY",       "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY",
      "GOOGLE_API_KEY",       "DEEPSEEK_API_KEY",  "MOONSHOT_API_KEY",   "VLLM_API_KEY",
      "AZURE_OPENAI_API_KEY", "LLAMACPP_API_KEY",  "LMSTUDIO_API_KEY"};
  return *variables;
}

}  // namespace stile
