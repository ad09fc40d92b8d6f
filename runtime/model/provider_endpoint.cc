#include "runtime/model/provider_endpoint.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr ProviderPreset kPresets[] = {
    {"anthropic",
     {"ANTHROPIC_API_KEY"},
     "ANTHROPIC_BASE_URL",
     "https://api.anthropic.com",
     Dialect::kAnthropic,
     true,
     false},
    {"openai",
     {"OPENAI_API_KEY"},
     "OPENAI_BASE_URL",
     "https://api.openai.com/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"gemini",
     {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
     "GEMINI_BASE_URL",
     "https://generativelanguage.googleapis.com/v1beta",
     Dialect::kGemini,
     true,
     false},
    {"azure", {"AZURE_OPENAI_API_KEY"}, "AZURE_OPENAI_ENDPOINT", "", Dialect::kOpenAi, true, false},
    {"openrouter",
     {"OPENROUTER_API_KEY"},
     "OPENROUTER_BASE_URL",
     "https://openrouter.ai/api/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"deepseek",
     {"DEEPSEEK_API_KEY"},
     "DEEPSEEK_BASE_URL",
     "https://api.deepseek.com/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"moonshot",
     {"MOONSHOT_API_KEY"},
     "MOONSHOT_BASE_URL",
     "https://api.moonshot.ai/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"groq",
     {"GROQ_API_KEY"},
     "GROQ_BASE_URL",
     "https://api.groq.com/openai/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"mistral",
     {"MISTRAL_API_KEY"},
     "MISTRAL_BASE_URL",
     "https://api.mistral.ai/v1",
     Dialect::kOpenAi,
     true,
     false},
    {"xai", {"XAI_API_KEY"}, "XAI_BASE_URL", "https://api.x.ai/v1", Dialect::kOpenAi, true, false},
    {"ollama", {}, "OLLAMA_HOST", "http://127.0.0.1:11434", Dialect::kOllama, false, true},
    {"vllm",
     {"VLLM_API_KEY"},
     "VLLM_BASE_URL",
     "http://127.0.0.1:8000/v1",
     Dialect::kOpenAi,
     false,
     true},
    {"llamacpp",
     {"LLAMACPP_API_KEY"},
     "LLAMACPP_BASE_URL",
     "http://127.0.0.1:8080/v1",
     Dialect::kOpenAi,
     false,
     true},
    {"lmstudio",
     {"LMSTUDIO_API_KEY"},
     "LMSTUDIO_BASE_URL",
     "http://127.0.0.1:1234/v1",
     Dialect::kOpenAi,
     false,
     true},
};

// Shorter "keys" are placeholders for servers that want none; hiding them would garble messages.
constexpr size_t kShortestSecret = 16;

std::string Lookup(const Environment& environment, absl::string_view name) {
  const auto found = environment.find(std::string(name));
  return found == environment.end() ? "" : std::string(absl::StripAsciiWhitespace(found->second));
}

bool HasControlCharacter(absl::string_view text) {
  for (const char c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) return true;
  }
  return false;
}

absl::Status CheckUrl(const std::string& url) {
  const bool is_http = absl::StartsWith(url, "http://") || absl::StartsWith(url, "https://");
  if (is_http && !HasControlCharacter(url)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the base URL '", PrintableUrl(url), "' must begin with http:// or https://"));
}

bool HasPath(const std::string& url) {
  return url.find('/', url.find("://") + 3) != std::string::npos;
}

// The first variable with a value, or else the first.
absl::Status FindKey(const ProviderPreset& preset, const Environment& environment,
                     ProviderEndpoint* endpoint) {
  for (const absl::string_view variable : preset.key_variables) {
    if (endpoint->key_variable.empty()) endpoint->key_variable = std::string(variable);
    const std::string key = Lookup(environment, variable);
    if (key.empty()) continue;
    if (HasControlCharacter(key)) {
      return absl::InvalidArgumentError(
          absl::StrCat(variable, " holds a line break or another control character; set it again"));
    }
    endpoint->api_key = key;
    endpoint->key_variable = std::string(variable);
    break;
  }
  return absl::OkStatus();
}

// OLLAMA_HOST is also what the server listens on: "0.0.0.0", ":11434" and "host" are usual.
std::string OllamaUrl(const std::string& given) {
  if (absl::StrContains(given, "://")) return given;
  const size_t colon = given.rfind(':');
  const bool has_port = colon != std::string::npos && !absl::EndsWith(given, "]");
  std::string host = has_port ? given.substr(0, colon) : given;
  if (host.empty() || host == "0.0.0.0" || host == "[::]") host = "127.0.0.1";
  return absl::StrCat("http://", host, has_port ? given.substr(colon) : ":11434");
}

// What users paste may end in the path of one call.
std::string WithoutCallPath(std::string url, Dialect dialect, std::string* api) {
  if (dialect == Dialect::kOpenAi) {
    if (absl::EndsWith(url, "/chat/completions")) {
      *api = "chat";
      return std::string(absl::StripSuffix(url, "/chat/completions"));
    }
    if (absl::EndsWith(url, "/responses")) {
      *api = "responses";
      return std::string(absl::StripSuffix(url, "/responses"));
    }
    if (!HasPath(url)) absl::StrAppend(&url, "/v1");
    return url;
  }
  if (dialect == Dialect::kAnthropic) {
    absl::string_view base = absl::StripSuffix(url, "/messages");
    return std::string(absl::StripSuffix(base, "/v1"));
  }
  if (dialect == Dialect::kOllama) {
    absl::string_view base = absl::StripSuffix(url, "/chat");
    return std::string(absl::StripSuffix(base, "/api"));
  }
  if (!HasPath(url)) absl::StrAppend(&url, "/v1beta");
  return url;
}

absl::Status FindAddress(const ProviderPreset& preset, const ModelSettings& settings,
                         const Environment& environment, ProviderEndpoint* endpoint) {
  std::string url(absl::StripAsciiWhitespace(settings.base_url));
  if (url.empty()) url = Lookup(environment, preset.url_variable);
  while (absl::EndsWith(url, "/")) url.pop_back();
  endpoint->is_public_address = url.empty();
  if (url.empty()) {
    if (preset.url.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("set ", preset.url_variable,
                                                     " to the address of your ", preset.name,
                                                     " resource, or give --base-url"));
    }
    // Servers at other addresses often need no key; the public one always does.
    if (preset.needs_key && endpoint->api_key.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(preset.name, " needs a key: set ", endpoint->key_variable, " (export ",
                       endpoint->key_variable, "=…), or choose another model with --model"));
    }
    url = std::string(preset.url);
  }
  if (preset.dialect == Dialect::kOllama) url = OllamaUrl(url);
  STILE_RETURN_IF_ERROR(CheckUrl(url));
  if (preset.name == "azure") {
    const size_t path = url.find("/openai");
    endpoint->base_url = url.substr(0, path);
    return absl::OkStatus();
  }
  std::string api;
  endpoint->base_url = WithoutCallPath(std::move(url), preset.dialect, &api);
  if (endpoint->api.empty()) endpoint->api = api;
  return absl::OkStatus();
}

// "${NAME}" is the value of that variable, so that configuration files hold no secrets.
absl::StatusOr<std::string> Expanded(const std::string& text, const std::string& what,
                                     const Environment& environment) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("${", at);
    result += text.substr(at, open - at);
    if (open == std::string::npos) break;
    const size_t close = text.find('}', open);
    const std::string name =
        close == std::string::npos ? "" : text.substr(open + 2, close - open - 2);
    const auto value = environment.find(name);
    if (value == environment.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("model_request: ", what, " names the variable ", name.empty() ? "''" : name,
                       ", which is not set"));
    }
    result += value->second;
    at = close + 1;
  }
  if (HasControlCharacter(result)) {
    return absl::InvalidArgumentError(
        absl::StrCat("model_request: ", what, " holds a line break or another control character"));
  }
  return result;
}

absl::Status AddExtras(const ModelSettings& settings, const Environment& environment,
                       ProviderEndpoint* endpoint) {
  for (const auto& [name, value] : settings.headers) {
    STILE_ASSIGN_OR_RETURN(endpoint->headers[name],
                           Expanded(value, absl::StrCat("header ", name), environment));
  }
  for (const auto& [name, value] : settings.query) {
    STILE_ASSIGN_OR_RETURN(endpoint->query[name],
                           Expanded(value, absl::StrCat("query ", name), environment));
  }
  endpoint->tls.ca_file = settings.ca_file;
  for (const char* variable : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    if (endpoint->tls.ca_file.empty()) endpoint->tls.ca_file = Lookup(environment, variable);
  }
  endpoint->tls.client_certificate = settings.client_certificate;
  endpoint->tls.client_key = settings.client_key;
  return CheckTlsFiles(endpoint->tls);
}

void AddKeyHeaders(ProviderEndpoint* endpoint) {
  if (endpoint->dialect == Dialect::kAnthropic) {
    endpoint->headers["anthropic-version"] = "2023-06-01";
  }
  if (endpoint->api_key.empty()) return;
  if (endpoint->provider == "azure") {
    endpoint->headers["api-key"] = endpoint->api_key;
  } else if (endpoint->dialect == Dialect::kAnthropic) {
    endpoint->headers["x-api-key"] = endpoint->api_key;
  } else if (endpoint->dialect == Dialect::kGemini) {
    endpoint->headers["x-goog-api-key"] = endpoint->api_key;
  } else {
    endpoint->headers["Authorization"] = absl::StrCat("Bearer ", endpoint->api_key);
  }
}

std::string UrlEscaped(absl::string_view text) {
  std::string result;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-._~", c)) {
      result.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      absl::StrAppend(&result, "%", absl::Hex(byte, absl::kZeroPad2));
    }
  }
  return result;
}

}  // namespace

absl::Span<const ProviderPreset> ProviderPresets() { return kPresets; }

const ProviderPreset* FindProviderPreset(absl::string_view name) {
  for (const ProviderPreset& preset : ProviderPresets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

absl::StatusOr<ProviderEndpoint> MakeProviderEndpoint(const ModelSettings& settings,
                                                      const Environment& environment) {
  const size_t colon = settings.model.find(':');
  const std::string name = settings.model.substr(0, colon);
  const ProviderPreset* preset = FindProviderPreset(name);
  if (preset == nullptr) {
    std::vector<std::string> names;
    for (const ProviderPreset& known : ProviderPresets()) names.emplace_back(known.name);
    const std::string nearest = Nearest(name, names);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown model provider '", name, "'",
                     nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?"),
                     "; --model takes PROVIDER:MODEL with one of ", absl::StrJoin(names, ", "),
                     ", or replay:FILE"));
  }
  ProviderEndpoint endpoint{std::string(preset->name), settings.model.substr(colon + 1),
                            preset->dialect};
  endpoint.timeout = settings.timeout;
  endpoint.api = settings.api;
  endpoint.effort = settings.effort;
  if (!settings.api.empty() && preset->dialect != Dialect::kOpenAi) {
    return absl::InvalidArgumentError(absl::StrCat("--api chooses between APIs of OpenAI; ",
                                                   preset->name, " has one: leave it out"));
  }
  STILE_RETURN_IF_ERROR(FindKey(*preset, environment, &endpoint));
  STILE_RETURN_IF_ERROR(FindAddress(*preset, settings, environment, &endpoint));
  AddKeyHeaders(&endpoint);
  if (preset->name == "azure") {
    endpoint.api_version = Lookup(environment, "OPENAI_API_VERSION");
    if (endpoint.api_version.empty()) {
      endpoint.api_version = Lookup(environment, "AZURE_OPENAI_API_VERSION");
    }
  }
  STILE_RETURN_IF_ERROR(AddExtras(settings, environment, &endpoint));
  if (const auto data = FindModelData(preset->name, endpoint.model)) endpoint.data = *data;
  if (const auto price = settings.prices.find(settings.model); price != settings.prices.end()) {
    endpoint.data.price = price->second;
  }
  return endpoint;
}

std::string EndpointUrl(const ProviderEndpoint& endpoint, absl::string_view path) {
  std::string url = absl::StrCat(endpoint.base_url, path);
  for (const auto& [name, value] : endpoint.query) {
    absl::StrAppend(&url, absl::StrContains(url, '?') ? "&" : "?", UrlEscaped(name), "=",
                    UrlEscaped(value));
  }
  return url;
}

ModelInfo InfoOf(const ProviderEndpoint& endpoint) {
  ModelInfo info{endpoint.provider, endpoint.model};
  info.context_tokens = endpoint.data.context_tokens;
  info.output_tokens = endpoint.data.output_tokens;
  info.price = endpoint.data.price;
  info.takes_images = endpoint.data.takes_images;
  return info;
}

std::string EffortWord(const ProviderEndpoint& endpoint) {
  if (endpoint.effort.empty() || endpoint.data.model.empty()) return endpoint.effort;
  const auto word = endpoint.data.efforts.find(endpoint.effort);
  return word == endpoint.data.efforts.end() ? "" : word->second;
}

std::string PrintableUrl(absl::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t scheme_end = url.find("://");
  if (scheme_end == absl::string_view::npos) return std::string(url.substr(url.rfind('@') + 1));
  const absl::string_view rest = url.substr(scheme_end + 3);
  const absl::string_view authority = rest.substr(0, rest.find('/'));
  const size_t at = authority.rfind('@');
  return absl::StrCat(url.substr(0, scheme_end + 3),
                      at == absl::string_view::npos ? rest : rest.substr(at + 1));
}

std::string Redact(const ProviderEndpoint& endpoint, absl::string_view text) {
  if (endpoint.api_key.size() < kShortestSecret) return std::string(text);
  return absl::StrReplaceAll(text, {{endpoint.api_key, "[key]"}});
}

}  // namespace stile
