#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/http/http_client.h"
#include "runtime/model/anthropic_model.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/fallback_model.h"
#include "runtime/model/gemini_model.h"
#include "runtime/model/model_catalog.h"
#include "runtime/model/ollama_model.h"
#include "runtime/model/openai_model.h"
#include "runtime/model/provider_endpoint.h"
#include "runtime/model/recording_model.h"
#include "runtime/model/replay_model.h"
#include "runtime/model/sampling_model.h"
#include "runtime/model/text_protocol_model.h"

namespace stile {
namespace {

constexpr int64_t kDefaultContextTokens = 65536;
constexpr absl::string_view kReplay = "replay:";

absl::StatusOr<std::unique_ptr<ChatModel>> NewProviderModel(const ModelSettings& settings,
                                                            const Environment& environment,
                                                            Clock* clock) {
  STILE_ASSIGN_OR_RETURN(ProviderEndpoint endpoint, MakeProviderEndpoint(settings, environment));
  const Dialect dialect = endpoint.dialect;
  auto caller = std::make_unique<ProviderCaller>(std::move(endpoint), NewCurlHttpClient(), clock);
  if (!settings.fallback.empty()) caller->set_has_alternative();
  switch (dialect) {
    case Dialect::kOpenAi:
      return NewOpenAiModel(std::move(caller));
    case Dialect::kAnthropic:
      return NewAnthropicModel(std::move(caller));
    case Dialect::kGemini:
      return NewGeminiModel(std::move(caller));
    case Dialect::kOllama:
      break;
  }
  return NewOllamaModel(std::move(caller), settings.context_tokens > 0 ? settings.context_tokens
                                                                       : kDefaultContextTokens);
}

absl::Status CheckChoice(absl::string_view what, const std::string& value,
                         const std::vector<std::string>& choices) {
  if (value.empty()) return absl::OkStatus();
  std::string names;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return absl::OkStatus();
    absl::StrAppend(&names, i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown ", what, " '", value, "'; choose ", names));
}

// What is wrong with a --model that is not PROVIDER:MODEL, and what may have been meant.
std::string NoModelNamed(const std::string& given) {
  const std::string provider = given.substr(0, given.find(':'));
  if (FindProviderPreset(provider) != nullptr) {
    return absl::StrCat("'", given, "' is a provider without a model; `stile models ", provider,
                        "` lists its models");
  }
  std::string meant;
  const size_t slash = given.find('/');
  if (slash != std::string::npos && FindProviderPreset(given.substr(0, slash)) != nullptr) {
    meant = absl::StrCat(given.substr(0, slash), ":", given.substr(slash + 1));
  }
  for (const ProviderPreset& preset : ProviderPresets()) {
    if (meant.empty() && FindModelData(preset.name, given)) {
      meant = absl::StrCat(preset.name, ":", given);
    }
  }
  return absl::StrCat("'", given, "' names no provider",
                      meant.empty() ? "" : absl::StrCat(", did you mean '", meant, "'?"));
}

absl::Status CheckSettings(const ModelSettings& settings) {
  const size_t colon = settings.model.find(':');
  const bool is_named = colon + 1 < settings.model.size() || settings.model == kSamplingPrefix;
  if (colon == std::string::npos || colon == 0 || !is_named) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.model.empty() ? "no model is chosen" : NoModelNamed(settings.model),
        "; use --model PROVIDER:MODEL, for example anthropic:claude-sonnet-5, openai:gpt-5.5, "
        "ollama:qwen3 or replay:FILE; `stile models` lists what is known"));
  }
  STILE_RETURN_IF_ERROR(
      CheckChoice("protocol", settings.protocol, {"auto", "native", "json", "text"}));
  STILE_RETURN_IF_ERROR(CheckChoice("api", settings.api, {"chat", "responses"}));
  return CheckChoice("effort", settings.effort, {"low", "medium", "high"});
}

// Reads the text of replies for calls, as the protocol says.
std::unique_ptr<ChatModel> WithProtocol(std::unique_ptr<ChatModel> model,
                                        const ModelSettings& settings) {
  const bool is_replay = absl::StartsWith(settings.model, kReplay);
  const std::string& protocol = settings.protocol;
  if (protocol == "native" || (protocol == "auto" && is_replay)) return model;
  TextProtocolOptions options;
  options.form = protocol == "json" ? TextForm::kJson : TextForm::kReAct;
  options.native_first = protocol == "auto";
  options.render_request = !is_replay;
  return NewTextProtocolModel(std::move(model), options);
}

absl::StatusOr<std::unique_ptr<ChatModel>> NewPlainModel(const ModelSettings& settings,
                                                         const Environment& environment,
                                                         Clock* clock) {
  STILE_RETURN_IF_ERROR(CheckSettings(settings));
  if (absl::StartsWith(settings.model, kReplay)) {
    STILE_ASSIGN_OR_RETURN(
        std::unique_ptr<ChatModel> model,
        NewReplayModel(settings.model.substr(kReplay.size()), settings.cassette_step,
                       settings.replay_strict, settings.replay_skip));
    return WithProtocol(std::move(model), settings);
  }
  if (absl::StartsWith(settings.model, kSamplingPrefix)) {
    STILE_ASSIGN_OR_RETURN(
        std::unique_ptr<ChatModel> model,
        NewSamplingModel(settings.sampling, settings.model.substr(kSamplingPrefix.size())));
    return WithProtocol(std::move(model), settings);
  }
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChatModel> model,
                         NewProviderModel(settings, environment, clock));
  return WithProtocol(std::move(model), settings);
}

// The fallback is asked at its own provider's address, by the API that it has.
ModelSettings FallbackSettings(const ModelSettings& settings) {
  ModelSettings fallback = settings;
  fallback.model = settings.fallback;
  fallback.fallback.clear();
  fallback.api.clear();
  const auto provider = [](const std::string& model) { return model.substr(0, model.find(':')); };
  if (provider(settings.model) != provider(settings.fallback)) fallback.base_url.clear();
  return fallback;
}

}  // namespace

absl::string_view ModelNoticeKindName(ModelNotice::Kind kind) {
  switch (kind) {
    case ModelNotice::Kind::kWaiting:
      return "waiting";
    case ModelNotice::Kind::kParameterDropped:
      return "parameter_dropped";
    case ModelNotice::Kind::kApiChanged:
      return "api_changed";
    case ModelNotice::Kind::kFallback:
      return "fallback";
  }
  return "waiting";
}

absl::StatusOr<std::unique_ptr<ChatModel>> NewChatModel(const ModelSettings& settings,
                                                        const Environment& environment,
                                                        Clock* clock) {
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChatModel> model,
                         NewPlainModel(settings, environment, clock));
  if (!settings.fallback.empty()) {
    auto fallback = NewPlainModel(FallbackSettings(settings), environment, clock);
    if (!fallback.ok()) return WithContext(fallback.status(), "--fallback");
    model = NewFallbackModel(std::move(model), *std::move(fallback));
  }
  if (settings.record_file.empty()) return model;
  return NewRecordingModel(std::move(model), settings.record_file);
}

}  // namespace stile
