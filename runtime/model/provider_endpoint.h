#ifndef STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_
#define STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/model/chat_model.h"

namespace stile {

// Where a provider answers, and how to ask it.
struct ProviderEndpoint {
  std::string provider;
  std::string model;
  std::string url;                             // of the chat call, complete
  std::map<std::string, std::string> headers;  // with the key
  std::string api_key;                         // "" for none; kept out of every message
  std::string key_variable;                    // "" where no key is used
  absl::Duration timeout;
};

using Environment = std::map<std::string, std::string>;

// InvalidArgument: a missing or unusable key, with what to do about it.
absl::StatusOr<ProviderEndpoint> OpenAiEndpoint(const ModelSettings& settings,
                                                const std::string& model,
                                                const Environment& environment);
absl::StatusOr<ProviderEndpoint> AnthropicEndpoint(const ModelSettings& settings,
                                                   const std::string& model,
                                                   const Environment& environment);
absl::StatusOr<ProviderEndpoint> OllamaEndpoint(const ModelSettings& settings,
                                                const std::string& model,
                                                const Environment& environment);

// `url` without user, password and query, fit for messages.
std::string PrintableUrl(absl::string_view url);

// `text` without the endpoint's key. To be applied before anything is shortened.
std::string Redact(const ProviderEndpoint& endpoint, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_
