#include "runtime/model/provider_error.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
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

constexpr char kOverflowPayload[] = "stile/context_overflow";
constexpr char kForLaterPayload[] = "stile/for_later";
constexpr char kPastEnd[] = "past_end";

// Error bodies come as {"error":{"message"}}, {"error":"…"}, {"message"}, {"detail"}, and as a list
// of one of them.
std::string MessageOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array() && !json.empty()) return MessageOf(json.front());
  if (const Json* error = JsonMember(json, "error")) return MessageOf(*error);
  // OpenRouter's own message says only that the provider behind it failed.
  if (const Json* metadata = JsonMember(json, "metadata")) {
    if (const auto raw = JsonString(*metadata, "raw"); raw && !raw->empty()) {
      const auto inner = ParseWireJson(*raw);
      const std::string text = inner.ok() ? MessageOf(*inner) : "";
      return absl::StrCat(JsonString(json, "message").value_or(""), ": ",
                          text.empty() ? *raw : text);
    }
  }
  for (const char* key : {"message", "detail"}) {
    const Json* member = JsonMember(json, key);
    if (member == nullptr) continue;
    if (!member->is_string()) return DumpJson(*member);
    if (const auto text = member->get<std::string>(); !text.empty()) return text;
  }
  return "";
}

const Json& InnerError(const Json& json) {
  const Json* error = JsonMember(json.is_array() && !json.empty() ? json.front() : json, "error");
  return error == nullptr ? json : *error;
}

// The words by which providers say that a conversation is longer than the model takes: OpenAI and
// those that speak its language, Anthropic, Gemini, llama.cpp, vLLM, Mistral, Groq, Ollama, xAI.
bool SaysContextOverflow(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  for (const absl::string_view words :
       {"context_length_exceeded", "maximum context length", "prompt is too long",
        "exceeded model token limit", "exceeds the maximum number of tokens",
        "exceed_context_size_error", "exceeds the available context size", "context window",
        "maximum prompt length", "please reduce the length of the messages",
        "input length and `max_tokens` exceed", "request_too_large", "too large for model with",
        "context length"}) {
    if (absl::StrContains(lower, words)) return true;
  }
  return false;
}

absl::Status MakeStatus(absl::StatusCode code, absl::string_view message) {
  return absl::Status(code, message);
}

bool IsNameByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

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

// "--base-url, or OPENAI_BASE_URL": where the address was or can be given.
std::string AddressSettings(const ProviderEndpoint& endpoint) {
  const ProviderPreset* preset = FindProviderPreset(endpoint.provider);
  return preset == nullptr || preset->url_variable.empty()
             ? "--base-url"
             : absl::StrCat("--base-url, or ", preset->url_variable);
}

std::string NotFoundAdvice(const ProviderEndpoint& endpoint) {
  if (endpoint.is_public_address) {
    return absl::StrCat("; check the name of the model (--model): `stile models ",
                        endpoint.provider, "` lists known names");
  }
  return absl::StrCat("; check the name of the model (--model) and the address (",
                      AddressSettings(endpoint), ")");
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
                 : NotFoundAdvice(endpoint);
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

absl::Status HttpErrorStatus(const ProviderEndpoint& endpoint, absl::string_view url, int status,
                             absl::string_view body) {
  const std::string message = ErrorMessage(endpoint, body);
  // Gemini's answer to a wrong key.
  if (status == 400 && absl::StrContains(body, "API key not valid")) status = 401;
  absl::Status result = MakeStatus(
      CodeOf(status),
      absl::StrCat(endpoint.provider, " at ", PrintableUrl(url), " answered HTTP ", status,
                   message.empty() ? "" : ": ", message, Advice(endpoint, status, message)));
  if (status == 413 ||
      (status >= 400 && status < 500 && status != 429 && SaysContextOverflow(body))) {
    result.SetPayload(kOverflowPayload, absl::Cord(""));
  }
  return result;
}

std::string UnreachableAdvice(const ProviderEndpoint& endpoint) {
  const ProviderPreset* preset = FindProviderPreset(endpoint.provider);
  if (endpoint.provider == "ollama" && endpoint.is_public_address) {
    return "; start it with `ollama serve`, or set OLLAMA_HOST to its address";
  }
  if (endpoint.is_public_address && (preset == nullptr || !preset->is_local)) {
    return "; check the network; behind a proxy, set HTTPS_PROXY";
  }
  return absl::StrCat("; check that a server runs at this address (", AddressSettings(endpoint),
                      ")");
}

std::string WrongAnswerAdvice(const ProviderEndpoint& endpoint) {
  return endpoint.is_public_address
             ? "; a proxy or a sign-in page may have answered in its place"
             : absl::StrCat("; check the address (", AddressSettings(endpoint), ")");
}

absl::Status StreamErrorStatus(const ProviderEndpoint& endpoint, const Json& error) {
  const std::string message = Clip(Redact(endpoint, MessageOf(error)));
  const std::string type = absl::AsciiStrToLower(absl::StrCat(
      JsonString(error, "type").value_or(""), " ", JsonString(error, "code").value_or("")));
  const std::string text =
      absl::StrCat(endpoint.provider, " ended the reply with an error: ",
                   message.empty() ? Clip(Redact(endpoint, DumpJson(error))) : message);
  if (SaysContextOverflow(absl::StrCat(type, " ", message))) {
    absl::Status result = MakeStatus(absl::StatusCode::kInvalidArgument, text);
    result.SetPayload(kOverflowPayload, absl::Cord(""));
    return result;
  }
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

bool WantsResponsesApi(const absl::Status& status) {
  for (const absl::string_view words :
       {"only supported in v1/responses", "The requested operation is unsupported",
        "Invalid URL (POST /v1/chat/completions)", "/v1/responses instead", "use the Responses API",
        "Use the Responses API", "use /v1/responses", "only supported with the Responses API",
        "v1/responses instead"}) {
    if (absl::StrContains(status.message(), words)) return true;
  }
  return false;
}

bool WantsChatApi(const absl::Status& status) {
  return absl::StrContains(status.message(), "answered HTTP 404") ||
         absl::StrContains(status.message(), "answered HTTP 405") ||
         absl::StrContains(status.message(), "only supported in v1/chat/completions");
}

bool IsQuotaExhausted(absl::string_view body) {
  const auto json = ParseWireJson(body);
  if (!json.ok()) return false;
  const Json& error = InnerError(*json);
  for (const char* key : {"code", "type"}) {
    const std::string word = JsonString(error, key).value_or("");
    if (word == "insufficient_quota" || word == "billing_error" ||
        word == "exceeded_current_quota_error" || word == "billing_not_active") {
      return true;
    }
  }
  return false;
}

bool NamesParameter(absl::string_view body, absl::string_view name) {
  const auto json = ParseWireJson(body);
  if (json.ok()) {
    const std::string param = JsonString(InnerError(*json), "param").value_or("");
    if (!param.empty()) {
      return param == name || absl::StartsWith(param, absl::StrCat(name, ".")) ||
             absl::StartsWith(param, absl::StrCat(name, "[")) ||
             absl::EndsWith(param, absl::StrCat(".", name));
    }
  }
  if (name == "think") return absl::StrContains(body, "does not support thinking");
  const bool is_plain_word = !absl::StrContains(name, '_') && name != "temperature";
  for (size_t at = body.find(name); at != absl::string_view::npos; at = body.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : body[at - 1];
    const size_t end = at + name.size();
    const char after = end == body.size() ? ' ' : body[end];
    if (IsNameByte(before) || IsNameByte(after)) continue;
    const bool is_quoted =
        absl::StrContains("'\"`\\", before) && absl::StrContains("'\"`\\", after);
    const bool is_path = after == '.' && end + 1 < body.size() && IsNameByte(body[end + 1]);
    if (!is_plain_word || is_quoted || is_path || (after == ':' && before == '"')) return true;
  }
  return false;
}

absl::Status WithMessage(const absl::Status& status, absl::string_view message) {
  absl::Status result(status.code(), message);
  status.ForEachPayload([&result](absl::string_view type, const absl::Cord& payload) {
    result.SetPayload(type, payload);
  });
  return result;
}

bool IsContextOverflow(const absl::Status& status) {
  return status.GetPayload(kOverflowPayload).has_value();
}

bool IsForLater(const absl::Status& status) {
  return status.GetPayload(kForLaterPayload).has_value();
}

bool IsPastEnd(const absl::Status& status) {
  const auto payload = status.GetPayload(kForLaterPayload);
  return payload.has_value() && *payload == kPastEnd;
}

absl::Status ForLater(const absl::Status& status, bool is_past_end, absl::string_view message) {
  absl::Status result = WithMessage(status, message);
  result.SetPayload(kForLaterPayload, absl::Cord(is_past_end ? kPastEnd : ""));
  return result;
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
