#include "runtime/model/provider_error.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kMaxMessageBytes = 600;

std::string Clip(absl::string_view text) {
  std::string clean = ToUtf8(absl::StripAsciiWhitespace(text));
  for (char& c : clean) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return TruncateMiddle(clean, kMaxMessageBytes);
}

// Error bodies come as {"error":{"message"}}, {"error":"…"}, {"message"}, {"detail"}.
std::string MessageOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (const Json* error = JsonMember(json, "error")) return MessageOf(*error);
  for (const char* key : {"message", "detail"}) {
    if (const auto text = JsonString(json, key); text && !text->empty()) return *text;
  }
  return "";
}

absl::Status MakeStatus(absl::StatusCode code, absl::string_view message) {
  return absl::Status(code, message);
}

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 402:
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 408:
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    case 409:
      return absl::StatusCode::kUnavailable;
    default:
      return status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kInvalidArgument;
  }
}

std::string Advice(const ProviderEndpoint& endpoint, int status, absl::string_view message) {
  switch (status) {
    case 401:
      return endpoint.key_variable.empty()
                 ? "; it wants a key, which cannot be given for this provider"
                 : absl::StrCat("; check ", endpoint.key_variable,
                                " (or choose another model with --model)");
    case 402:
      return "; add credit to the account, or choose another model with --model";
    case 403:
      return absl::StrCat("; the key may not use model ", endpoint.model,
                          "; choose another with --model");
    case 404:
      return endpoint.provider == "ollama" && absl::StrContains(message, "not found")
                 ? absl::StrCat("; run: ollama pull ", endpoint.model)
                 : absl::StrCat("; check that model ", endpoint.model,
                                " exists (--model) and that ", PrintableUrl(endpoint.url),
                                " is the right address (--base-url)");
    case 413:
      return "; the conversation is too large for this provider";
    case 429:
      return "; the rate limit or quota is used up; wait, or choose another model with --model";
    case 529:
      return "; the provider is overloaded; try again later";
    default:
      if (status >= 500) return "; the provider has trouble; try again later";
      if (status >= 300 && status < 400) return "; redirects are not followed: correct --base-url";
      return "";
  }
}

}  // namespace

std::string ErrorMessage(const ProviderEndpoint& endpoint, absl::string_view body) {
  const auto json = ParseWireJson(body);
  const std::string message = json.ok() ? MessageOf(*json) : "";
  return Clip(Redact(endpoint, message.empty() ? body : absl::string_view(message)));
}

absl::Status HttpErrorStatus(const ProviderEndpoint& endpoint, int status, absl::string_view body) {
  const std::string message = ErrorMessage(endpoint, body);
  return MakeStatus(
      CodeOf(status),
      absl::StrCat(endpoint.provider, " at ", PrintableUrl(endpoint.url), " answered HTTP ", status,
                   message.empty() ? "" : ": ", message, Advice(endpoint, status, message)));
}

absl::Status StreamErrorStatus(const ProviderEndpoint& endpoint, const Json& error) {
  const std::string message = Clip(Redact(endpoint, MessageOf(error)));
  const std::string type = absl::AsciiStrToLower(absl::StrCat(
      JsonString(error, "type").value_or(""), " ", JsonString(error, "code").value_or("")));
  const std::string text =
      absl::StrCat(endpoint.provider, " ended the reply with an error: ",
                   message.empty() ? Clip(Redact(endpoint, DumpJson(error))) : message);
  // Some gateways put the HTTP status here as a number.
  if (const auto status = JsonInt(error, "code"); status && *status >= 400 && *status < 600) {
    const absl::StatusCode code = CodeOf(static_cast<int>(*status));
    return MakeStatus(*status == 429 ? absl::StatusCode::kUnavailable : code, text);
  }
  const std::pair<absl::string_view, absl::StatusCode> kinds[] = {
      {"insufficient_quota", absl::StatusCode::kResourceExhausted},
      {"billing", absl::StatusCode::kResourceExhausted},
      {"authentication", absl::StatusCode::kUnauthenticated},
      {"invalid_api_key", absl::StatusCode::kUnauthenticated},
      {"permission", absl::StatusCode::kPermissionDenied},
      {"invalid_request", absl::StatusCode::kInvalidArgument},
      {"context_length", absl::StatusCode::kInvalidArgument},
      {"not_found", absl::StatusCode::kInvalidArgument},
      {"request_too_large", absl::StatusCode::kInvalidArgument},
  };
  for (const auto& [word, code] : kinds) {
    if (absl::StrContains(type, word)) return MakeStatus(code, text);
  }
  return MakeStatus(absl::StatusCode::kUnavailable, text);
}

bool RefusesTools(const absl::Status& status) {
  // Ollama; vLLM; llama.cpp; OpenRouter.
  for (const absl::string_view words : {"does not support tools", "enable-auto-tool-choice",
                                        "requires --jinja", "support tool use"}) {
    if (absl::StrContains(status.message(), words)) return true;
  }
  return false;
}

}  // namespace stile
