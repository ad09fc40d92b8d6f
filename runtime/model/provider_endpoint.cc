#include "runtime/model/provider_endpoint.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

// Shorter "keys" are placeholders for servers that want none; hiding them would garble messages.
constexpr size_t kShortestSecret = 4;

std::string Lookup(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : std::string(absl::StripAsciiWhitespace(found->second));
}

// The address from the settings, else from `variable`, else "".
std::string GivenUrl(const ModelSettings& settings, const Environment& environment,
                     const std::string& variable) {
  std::string url(absl::StripAsciiWhitespace(settings.base_url));
  if (url.empty()) url = Lookup(environment, variable);
  while (absl::EndsWith(url, "/")) url.pop_back();
  return url;
}

absl::StatusOr<std::string> Key(const Environment& environment, const std::string& variable) {
  std::string key = Lookup(environment, variable);
  for (const char c : key) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(
          absl::StrCat(variable, " holds a line break or another control character; set it again"));
    }
  }
  return key;
}

absl::Status MissingKey(const std::string& variable) {
  return absl::InvalidArgumentError(
      absl::StrCat("set ", variable, " (or choose another model with --model)"));
}

absl::Status CheckUrl(const std::string& url) {
  if (absl::StartsWith(url, "http://") || absl::StartsWith(url, "https://")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the base URL '", PrintableUrl(url), "' must begin with http:// or https://"));
}

bool HasPath(const std::string& url) {
  return url.find('/', url.find("://") + 3) != std::string::npos;
}

}  // namespace

absl::StatusOr<ProviderEndpoint> OpenAiEndpoint(const ModelSettings& settings,
                                                const std::string& model,
                                                const Environment& environment) {
  ProviderEndpoint endpoint{"openai", model};
  endpoint.timeout = settings.timeout;
  endpoint.key_variable = "OPENAI_API_KEY";
  STILE_ASSIGN_OR_RETURN(endpoint.api_key, Key(environment, endpoint.key_variable));
  std::string url = GivenUrl(settings, environment, "OPENAI_BASE_URL");
  if (url.empty()) {
    // Servers at other addresses often need no key; the public one always does.
    if (endpoint.api_key.empty()) return MissingKey(endpoint.key_variable);
    url = "https://api.openai.com/v1";
  }
  STILE_RETURN_IF_ERROR(CheckUrl(url));
  if (!HasPath(url)) absl::StrAppend(&url, "/v1");
  if (!absl::EndsWith(url, "/chat/completions")) absl::StrAppend(&url, "/chat/completions");
  endpoint.url = std::move(url);
  if (!endpoint.api_key.empty()) {
    endpoint.headers["Authorization"] = absl::StrCat("Bearer ", endpoint.api_key);
  }
  return endpoint;
}

absl::StatusOr<ProviderEndpoint> AnthropicEndpoint(const ModelSettings& settings,
                                                   const std::string& model,
                                                   const Environment& environment) {
  ProviderEndpoint endpoint{"anthropic", model};
  endpoint.timeout = settings.timeout;
  endpoint.key_variable = "ANTHROPIC_API_KEY";
  STILE_ASSIGN_OR_RETURN(endpoint.api_key, Key(environment, endpoint.key_variable));
  std::string url = GivenUrl(settings, environment, "ANTHROPIC_BASE_URL");
  if (url.empty()) {
    if (endpoint.api_key.empty()) return MissingKey(endpoint.key_variable);
    url = "https://api.anthropic.com";
  }
  STILE_RETURN_IF_ERROR(CheckUrl(url));
  if (!absl::EndsWith(url, "/messages")) {
    absl::StrAppend(&url, absl::EndsWith(url, "/v1") ? "/messages" : "/v1/messages");
  }
  endpoint.url = std::move(url);
  endpoint.headers["anthropic-version"] = "2023-06-01";
  if (!endpoint.api_key.empty()) endpoint.headers["x-api-key"] = endpoint.api_key;
  return endpoint;
}

absl::StatusOr<ProviderEndpoint> OllamaEndpoint(const ModelSettings& settings,
                                                const std::string& model,
                                                const Environment& environment) {
  ProviderEndpoint endpoint{"ollama", model};
  endpoint.timeout = settings.timeout;
  // OLLAMA_HOST is also what the server listens on: "0.0.0.0", ":11434" and "host" are usual.
  std::string url = GivenUrl(settings, environment, "OLLAMA_HOST");
  if (!absl::StrContains(url, "://")) {
    const size_t colon = url.rfind(':');
    const bool has_port = colon != std::string::npos && !absl::EndsWith(url, "]");
    std::string host = has_port ? url.substr(0, colon) : url;
    if (host.empty() || host == "0.0.0.0" || host == "[::]") host = "127.0.0.1";
    url = absl::StrCat("http://", host, has_port ? url.substr(colon) : ":11434");
  }
  STILE_RETURN_IF_ERROR(CheckUrl(url));
  if (!absl::EndsWith(url, "/api/chat")) {
    absl::StrAppend(&url, absl::EndsWith(url, "/api") ? "/chat" : "/api/chat");
  }
  endpoint.url = std::move(url);
  return endpoint;
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
