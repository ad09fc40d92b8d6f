#include "runtime/rpc/json_rpc_peer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr size_t kMaxHeaderBytes = size_t{4} << 10;
constexpr uint64_t kMaxMessageBytes = uint64_t{128} << 20;
// A peer that asks more than this is taken for one that will never stop.
constexpr int kMaxRequests = 100'000;
// How often a wait looks whether it was cancelled.
constexpr absl::Duration kSlice = absl::Milliseconds(100);

constexpr int64_t kParseError = -32700;
constexpr int64_t kInvalidRequest = -32600;
constexpr int64_t kMethodNotFound = -32601;
constexpr int64_t kInternalError = -32603;

Json ErrorReply(const Json& id, int64_t code, absl::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", code}, {"message", std::string(message)}}}};
}

absl::StatusOr<uint64_t> ContentLength(absl::string_view header) {
  for (const absl::string_view line : absl::StrSplit(header, "\r\n", absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(field.first), "content-length")) {
      continue;
    }
    uint64_t size = 0;
    if (!absl::SimpleAtoi(field.second, &size) || size > kMaxMessageBytes) break;
    return size;
  }
  return absl::InvalidArgumentError("a message has no usable Content-Length");
}

}  // namespace

absl::Status RpcErrorStatus(const Json& error) {
  const int64_t code = JsonInt(error, "code").value_or(0);
  const std::string message = JsonString(error, "message").value_or("no message");
  if (code == kMethodNotFound) return absl::UnimplementedError(message);
  if (code == kParseError || code == kInvalidRequest) return absl::InvalidArgumentError(message);
  return absl::FailedPreconditionError(message);
}

JsonRpcPeer::JsonRpcPeer(std::unique_ptr<ChildProcess> child, Handlers handlers,
                         CancellationSource cancellation)
    : child_(std::move(child)),
      handlers_(std::move(handlers)),
      cancellation_(std::move(cancellation)) {}

void JsonRpcPeer::Send(const Json& message) {
  const std::string body = DumpJson(message);
  child_->Write(absl::StrCat("Content-Length: ", body.size(), "\r\n\r\n", body));
}

void JsonRpcPeer::Notify(absl::string_view method, Json params) {
  Send({{"jsonrpc", "2.0"}, {"method", std::string(method)}, {"params", std::move(params)}});
}

absl::StatusOr<Json> JsonRpcPeer::Call(absl::string_view method, Json params,
                                       absl::Duration timeout) {
  STILE_RETURN_IF_ERROR(status_);
  awaited_id_ = ++last_id_;
  has_reply_ = false;
  Send({{"jsonrpc", "2.0"},
        {"id", awaited_id_},
        {"method", std::string(method)},
        {"params", std::move(params)}});
  const absl::Status waited = Wait([this] { return has_reply_; }, timeout);
  const int64_t id = std::exchange(awaited_id_, 0);
  if (waited.ok()) return std::move(reply_);
  if (status_.ok()) Notify("$/cancelRequest", {{"id", id}});
  return waited;
}

absl::Status JsonRpcPeer::Wait(const std::function<bool()>& is_done, absl::Duration timeout) {
  const absl::Duration end = SystemClock()->Monotonic() + timeout;
  while (!is_done()) {
    STILE_RETURN_IF_ERROR(status_);
    if (IsCancelled(cancellation_)) {
      return absl::CancelledError("cancelled");
    }
    const absl::Duration left = end - SystemClock()->Monotonic();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError(
          absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
    }
    status_ = Step(std::min(left, kSlice));
  }
  return absl::OkStatus();
}

absl::Status JsonRpcPeer::Step(absl::Duration timeout) {
  const absl::StatusOr<Json> message = Read(timeout);
  if (absl::IsDeadlineExceeded(message.status())) return absl::OkStatus();
  if (!message.ok()) return absl::UnavailableError(message.status().message());
  Handle(*message);
  if (requests_ > kMaxRequests) return absl::UnavailableError("it sends requests without end");
  return absl::OkStatus();
}

absl::StatusOr<Json> JsonRpcPeer::Read(absl::Duration timeout) {
  if (!body_size_.has_value()) {
    STILE_ASSIGN_OR_RETURN(const std::string header,
                           child_->ReadThrough("\r\n\r\n", kMaxHeaderBytes, timeout));
    STILE_ASSIGN_OR_RETURN(body_size_, ContentLength(header));
  }
  STILE_ASSIGN_OR_RETURN(const std::string body, child_->ReadExactly(*body_size_, timeout));
  body_size_.reset();
  return ParseJson(body);
}

void JsonRpcPeer::Handle(const Json& message) {
  const Json* const id = JsonMember(message, "id");
  const std::optional<std::string> method = JsonString(message, "method");
  const Json* const found = JsonMember(message, "params");
  const Json params = found == nullptr ? Json(nullptr) : *found;
  if (!method.has_value()) {  // a reply; one to a call that was given up is dropped
    if (id == nullptr || awaited_id_ == 0 || *id != Json(awaited_id_)) return;
    const Json* const error = JsonMember(message, "error");
    const Json* const result = JsonMember(message, "result");
    if (error != nullptr && !error->is_null()) {
      reply_ = RpcErrorStatus(*error);
    } else {
      reply_ = result == nullptr ? Json(nullptr) : *result;
    }
    has_reply_ = true;
    return;
  }
  if (id == nullptr) {
    handlers_.on_notification(*method, params);
    return;
  }
  ++requests_;
  const absl::StatusOr<Json> answer = handlers_.on_request(*method, params);
  if (answer.ok()) {
    Send({{"jsonrpc", "2.0"}, {"id", *id}, {"result", *answer}});
  } else {
    Send(ErrorReply(*id, absl::IsUnimplemented(answer.status()) ? kMethodNotFound : kInternalError,
                    answer.status().message()));
  }
}

}  // namespace stile
