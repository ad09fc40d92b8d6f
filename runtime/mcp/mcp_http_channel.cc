#include "runtime/mcp/mcp_http_channel.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/json_text.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/http/sse_reader.h"
#include "runtime/mcp/mcp_message.h"

namespace stile {
namespace {

constexpr size_t kMaxMessageBytes = size_t{16} << 20;
constexpr absl::Duration kShortTimeout = absl::Seconds(2);  // of messages whose failure is ignored
// Of a call with the time in which a person answers the server.
constexpr absl::Duration kLongestCall = absl::Hours(1);
// A server that asks more than this is taken for one that will never stop.
constexpr int kMaxRequests = 1000;
constexpr char kSessionHeader[] = "mcp-session-id";

// A header can hold visible ASCII; all else is encoded as revision 2026-07-28 has it.
std::string HeaderValue(const std::string& text) {
  bool is_plain = !absl::StartsWith(text, "=?base64?");
  for (const char c : text) is_plain = is_plain && c > ' ' && c < 0x7f;
  return is_plain ? text : absl::StrCat("=?base64?", Base64Encode(text), "?=");
}

bool IsGivenUp(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

}  // namespace

// One call, and what has come of it.
struct McpHttpChannel::Exchange {
  int64_t id = 0;
  bool has_reply = false;
  absl::StatusOr<Json> reply = Json();
  absl::Duration end;  // Clock::Monotonic; later by the time in which the server was answered
};

McpHttpChannel::McpHttpChannel(Server server,
                               const std::function<std::unique_ptr<HttpClient>()>& new_client,
                               JsonRpcHandlers handlers, CancellationSource cancellation)
    : server_(std::move(server)),
      handlers_(std::move(handlers)),
      cancellation_(std::move(cancellation)),
      calls_(new_client()),
      answers_(new_client()) {}

McpHttpChannel::~McpHttpChannel() {
  if (session_.empty() || !status_.ok()) return;
  HttpRequest request = NewRequest(nullptr);
  request.method = "DELETE";
  request.timeout = kShortTimeout;
  request.cancellation = nullptr;
  answers_->Run(request).IgnoreError();
}

HttpRequest McpHttpChannel::NewRequest(const Json& message) const {
  HttpRequest request;
  request.url = server_.url;
  request.headers = server_.headers;
  request.headers["Accept"] = "application/json, text/event-stream";
  if (!session_.empty()) request.headers["Mcp-Session-Id"] = session_;
  std::string revision = revision_;
  if (!message.is_null()) {
    request.headers["Content-Type"] = "application/json";
    request.body = DumpJson(message);
    const Json* const params = JsonMember(message, "params");
    const Json* const meta = params == nullptr ? nullptr : JsonMember(*params, "_meta");
    const auto named = meta == nullptr ? std::nullopt : JsonString(*meta, kMetaRevision);
    if (named.has_value()) {
      revision = *named;
      request.headers["Mcp-Method"] = JsonString(message, "method").value_or("");
      const std::string name =
          JsonString(*params, "name").value_or(JsonString(*params, "uri").value_or(""));
      if (!name.empty()) request.headers["Mcp-Name"] = HeaderValue(name);
    }
  }
  if (!revision.empty()) request.headers["MCP-Protocol-Version"] = revision;
  request.max_response_bytes = kMaxMessageBytes;
  request.cancellation = cancellation_ ? cancellation_() : nullptr;
  return request;
}

void McpHttpChannel::RememberSession(const std::map<std::string, std::string>& headers) {
  const auto found = headers.find(kSessionHeader);
  if (found != headers.end()) session_ = found->second;
}

absl::StatusOr<Json> McpHttpChannel::Call(absl::string_view method, Json params,
                                          absl::Duration timeout) {
  STILE_RETURN_IF_ERROR(status_);
  Exchange exchange;
  exchange.id = ++last_id_;
  HttpRequest request = NewRequest(RpcRequest(exchange.id, method, std::move(params)));
  request.timeout = kLongestCall;
  request.idle_timeout = timeout;
  exchange.end = SystemClock()->Monotonic() + timeout;
  bool is_stream = false;
  std::string body;
  absl::Status broken;
  SseReader events(
      [&](const SseEvent& event) {
        const auto message = ParseJson(WithoutLoneSurrogates(ToUtf8(event.data)));
        if (message.ok()) Take(*message, &exchange);  // others are keep-alives
        return absl::OkStatus();
      },
      kMaxMessageBytes);
  request.on_headers = [&](int status, const std::map<std::string, std::string>& headers) {
    const auto type = headers.find("content-type");
    is_stream = status == 200 && type != headers.end() &&
                absl::StartsWithIgnoreCase(type->second, "text/event-stream");
    if (method == "initialize" && status == 200) RememberSession(headers);
  };
  request.on_body = [&](absl::string_view piece) {
    if (!is_stream) body.append(piece.data(), piece.size());
    if (is_stream) broken = events.Push(piece);
    if (broken.ok() && !exchange.has_reply && SystemClock()->Monotonic() > exchange.end) {
      broken = absl::DeadlineExceededError(
          absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
    }
    return broken.ok() && status_.ok() && !exchange.has_reply;
  };
  request.body_complete = [&] { return exchange.has_reply; };
  absl::StatusOr<HttpResponse> response = calls_->Run(request);
  if (exchange.has_reply) {
    response = HttpResponse();
  } else if (response.ok() && is_stream) {
    broken.Update(events.Finish());
  }
  STILE_RETURN_IF_ERROR(status_);
  if (!broken.ok()) response = broken;
  if (!exchange.has_reply) {
    if (IsGivenUp(response.status()) && method != "initialize") {
      Notify("notifications/cancelled", {{"requestId", exchange.id}});
    }
    STILE_RETURN_IF_ERROR(response.status());
    if (!body.empty()) response->body = std::move(body);
    exchange.reply = Answer(*response, &exchange);
  }
  if (method == "initialize" && exchange.reply.ok()) {
    revision_ = JsonString(*exchange.reply, "protocolVersion").value_or("");
  }
  return std::move(exchange.reply);
}

absl::StatusOr<Json> McpHttpChannel::Answer(const HttpResponse& response, Exchange* exchange) {
  const auto message = ParseJson(WithoutLoneSurrogates(ToUtf8(response.body)));
  if (message.ok()) {
    Take(*message, exchange);
    if (exchange->has_reply) return std::move(exchange->reply);
  }
  if (response.status == 404 && !session_.empty()) {
    status_ = absl::UnavailableError("the server has ended the session");
    return status_;
  }
  // Errors of requests that were refused before they were read have no id.
  const Json* const error = message.ok() ? JsonMember(*message, "error") : nullptr;
  if (error != nullptr && error->is_object()) return RpcErrorStatus(*error);
  if (response.status == 401 || response.status == 403) {
    return absl::PermissionDeniedError(absl::StrCat("HTTP status ", response.status,
                                                    ": set what it asks for under headers, such as "
                                                    "Authorization"));
  }
  if (response.status >= 200 && response.status < 300) {
    return absl::DataLossError("the answer ended without a reply");
  }
  return absl::FailedPreconditionError(absl::StrCat("HTTP status ", response.status,
                                                    response.body.empty() ? "" : ": ",
                                                    ToUtf8(TruncateMiddle(response.body, 300))));
}

void McpHttpChannel::Take(const Json& message, Exchange* exchange) {
  if (message.is_array()) {  // a batch, which revision 2025-03-26 has
    for (const Json& one : message) {
      if (!one.is_array()) Take(one, exchange);
    }
    return;
  }
  const Json* const id = JsonMember(message, "id");
  const std::optional<std::string> method = JsonString(message, "method");
  if (method.has_value()) {
    const Json* const found = JsonMember(message, "params");
    const Json params = found == nullptr ? Json(nullptr) : *found;
    if (id == nullptr) return handlers_.on_notification(*method, params);
    if (++requests_ > kMaxRequests) {
      status_ = absl::UnavailableError("it sends requests without end");
      return;
    }
    const absl::Duration begin = SystemClock()->Monotonic();
    Post(RpcReply(handlers_, *id, *method, params), cancellation_ ? cancellation_() : nullptr);
    exchange->end += SystemClock()->Monotonic() - begin;
    return;
  }
  if (id == nullptr || *id != Json(exchange->id) || exchange->has_reply) return;
  exchange->reply = RpcResult(message);
  exchange->has_reply = true;
}

void McpHttpChannel::Notify(absl::string_view method, Json params) {
  Post(RpcNotification(method, std::move(params)), nullptr);
}

void McpHttpChannel::Post(const Json& message, const Cancellation* cancellation) {
  HttpRequest request = NewRequest(message);
  request.timeout = kShortTimeout;
  request.cancellation = cancellation;
  answers_->Run(request).IgnoreError();  // without the reply the server gives up by itself
}

}  // namespace stile
