#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/http/http_client.h"
#include "runtime/model/anthropic_model.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/ollama_model.h"
#include "runtime/model/openai_model.h"
#include "runtime/model/provider_endpoint.h"
#include "runtime/model/recording_model.h"
#include "runtime/model/replay_model.h"
#include "runtime/model/text_protocol_model.h"

namespace stile {
namespace {

constexpr int64_t kDefaultContextTokens = 65536;

absl::StatusOr<std::unique_ptr<ChatModel>> NewProviderModel(const std::string& provider,
                                                            const std::string& model,
                                                            const ModelSettings& settings,
                                                            const Environment& environment,
                                                            Clock* clock) {
  if (provider == "replay") {
    return NewReplayModel(model, settings.cassette_step, settings.replay_strict,
                          settings.replay_skip);
  }
  if (provider == "openai") {
    STILE_ASSIGN_OR_RETURN(ProviderEndpoint endpoint, OpenAiEndpoint(settings, model, environment));
    return NewOpenAiModel(std::move(endpoint), NewCurlHttpClient(), clock);
  }
  if (provider == "anthropic") {
    STILE_ASSIGN_OR_RETURN(ProviderEndpoint endpoint,
                           AnthropicEndpoint(settings, model, environment));
    return NewAnthropicModel(std::move(endpoint), NewCurlHttpClient(), clock);
  }
  if (provider == "ollama") {
    STILE_ASSIGN_OR_RETURN(ProviderEndpoint endpoint, OllamaEndpoint(settings, model, environment));
    const int64_t context =
        settings.context_tokens > 0 ? settings.context_tokens : kDefaultContextTokens;
    return NewOllamaModel(std::move(endpoint), context, NewCurlHttpClient(), clock);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown model provider '", provider,
                   "'; --model takes openai:MODEL, anthropic:MODEL, ollama:MODEL or replay:FILE"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatModel>> NewChatModel(const ModelSettings& settings,
                                                        const Environment& environment,
                                                        Clock* clock) {
  const size_t colon = settings.model.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == settings.model.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.model.empty() ? "no model is chosen"
                               : absl::StrCat("'", settings.model, "' does not name a model"),
        "; use --model PROVIDER:MODEL, for example anthropic:claude-sonnet-4-5, openai:gpt-5, "
        "ollama:qwen3 or replay:FILE"));
  }
  const std::string provider = settings.model.substr(0, colon);
  const std::string& protocol = settings.protocol;
  if (protocol != "auto" && protocol != "native" && protocol != "json" && protocol != "text") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown protocol '", protocol, "'; choose auto, native, json or text"));
  }
  STILE_ASSIGN_OR_RETURN(
      std::unique_ptr<ChatModel> model,
      NewProviderModel(provider, settings.model.substr(colon + 1), settings, environment, clock));
  const bool replay = provider == "replay";
  if (protocol == "json" || protocol == "text" || (protocol == "auto" && !replay)) {
    TextProtocolOptions options;
    options.form = protocol == "json" ? TextForm::kJson : TextForm::kReAct;
    options.native_first = protocol == "auto";
    options.render_request = !replay;
    model = NewTextProtocolModel(std::move(model), options);
  }
  if (settings.record_file.empty()) return model;
  return NewRecordingModel(std::move(model), settings.record_file);
}

}  // namespace stile
