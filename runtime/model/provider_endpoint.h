// Where each provider answers, how it is asked, and which variables hold its key and address.
#ifndef STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_
#define STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_

#include <initializer_list>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"

namespace stile {

using Environment = std::map<std::string, std::string>;

// The language that a provider's servers speak.
enum class Dialect { kOpenAi, kAnthropic, kGemini, kOllama };

// A provider by the name that --model gives it.
struct ProviderPreset {
  absl::string_view name;  // "openrouter"
  // The first that is set counts; empty: no key is known.
  std::initializer_list<absl::string_view> key_variables;
  absl::string_view url_variable;  // holds another address
  absl::string_view url;           // public or usual address; "" : must be given
  Dialect dialect = Dialect::kOpenAi;
  bool needs_key = false;  // at `url`
  bool is_local = false;   // the usual address is this machine
};

// Every provider, in the order in which messages list them. `replay` is none of them.
absl::Span<const ProviderPreset> ProviderPresets();
const ProviderPreset* FindProviderPreset(absl::string_view name);  // null: unknown

struct ProviderEndpoint {
  std::string provider;
  std::string model;
  Dialect dialect = Dialect::kOpenAi;
  std::string base_url;                        // without a "/" at its end, or the API's own path
  bool is_public_address = false;              // the preset's own, not one that was given
  std::string api_version;                     // Azure's; "" : the addresses without a version
  std::string api;                             // "" | "chat" | "responses", as asked for
  std::map<std::string, std::string> headers;  // with the key
  std::map<std::string, std::string> query;
  std::string api_key;       // "" for none; kept out of every message
  std::string key_variable;  // that holds or would hold the key; "" where no key is used
  absl::Duration timeout = absl::Seconds(600);
  TlsFiles tls;
  ModelData data;      // of the catalogue, with the user's price; mostly empty where it is unknown
  std::string effort;  // "" | "low" | "medium" | "high", as asked for
};

// Of the provider and model that `settings.model` names. InvalidArgument: an unknown provider, a
// missing or unusable key, address, header or file, with what to do about it.
absl::StatusOr<ProviderEndpoint> MakeProviderEndpoint(const ModelSettings& settings,
                                                      const Environment& environment);

// `base_url` with `path` ("/chat/completions") behind it and the query behind that.
std::string EndpointUrl(const ProviderEndpoint& endpoint, absl::string_view path);

// What the endpoint tells of its model.
ModelInfo InfoOf(const ProviderEndpoint& endpoint);

// The provider's word for the effort that was asked for; "" where none was, or the model has none.
std::string EffortWord(const ProviderEndpoint& endpoint);

// `url` without user, password and query, fit for messages.
std::string PrintableUrl(absl::string_view url);

// `text` without the endpoint's key. To be applied before anything is shortened.
std::string Redact(const ProviderEndpoint& endpoint, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_ENDPOINT_H_
