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
#include "runtime/base/json_text.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxHeaderBytes = size_t{4} << 10;
constexpr uint64_t kMaxMessageBytes = uint64_t{128} << 20;
constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr size_t kMaxIdBytes = 1000;
// A peer that asks more than this is taken for one that will never stop.
constexpr int kMaxRequests = 100'000;
// Programs that log to their standard output do so now and then.
constexpr int kMaxOtherLines = 1000;
// How often a wait looks whether it was cancelled.
constexpr absl::Duration kSlice = absl::Milliseconds(100);

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

JsonRpcPeer::JsonRpcPeer(std::unique_ptr<ChildProcess> child, JsonRpcDialect dialect,
                         JsonRpcHandlers handlers, CancellationSource cancellation)
    : child_(std::move(child)),
      dialect_(std::move(dialect)),
      handlers_(std::move(handlers)),
      cancellation_(std::move(cancellation)) {}

void JsonRpcPeer::Send(const Json& message) {
  const std::string body = DumpJson(message);
  if (dialect_.framing == JsonRpcDialect::Framing::kLines) {
    child_->Write(absl::StrCat(body, "\n"));
    return;
  }
  child_->Write(absl::StrCat("Content-Length: ", body.size(), "\r\n\r\n", body));
}

void JsonRpcPeer::Notify(absl::string_view method, Json params) {
  Send(RpcNotification(method, std::move(params)));
}

absl::StatusOr<Json> JsonRpcPeer::Call(absl::string_view method, Json params,
                                       absl::Duration timeout) {
  STILE_RETURN_IF_ERROR(status_);
  awaited_id_ = ++last_id_;
  has_reply_ = false;
  Send(RpcRequest(awaited_id_, method, std::move(params)));
  const absl::Status waited = Wait([this] { return has_reply_; }, timeout);
  const int64_t id = std::exchange(awaited_id_, 0);
  if (waited.ok()) return std::move(reply_);
  if (status_.ok()) Notify(dialect_.cancel_method, {{dialect_.cancel_id, id}});
  return waited;
}

absl::Status JsonRpcPeer::Wait(const std::function<bool()>& is_done, absl::Duration timeout) {
  const absl::Duration end = SystemClock()->Monotonic() + timeout;
  const absl::Duration answering_before = requests_.answering;
  while (!is_done()) {
    STILE_RETURN_IF_ERROR(status_);
    if (IsCancelled(cancellation_)) {
      return absl::CancelledError("cancelled");
    }
    const absl::Duration left =
        end + (requests_.answering - answering_before) - SystemClock()->Monotonic();
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
  if (message->is_array()) {  // a batch, which MCP had until 2025-03-26
    for (const Json& one : *message) {
      if (requests_.count <= kMaxRequests) Handle(one);
    }
  } else {
    Handle(*message);
  }
  if (requests_.count > kMaxRequests)
    return absl::UnavailableError("it sends requests without end");
  return absl::OkStatus();
}

absl::StatusOr<Json> JsonRpcPeer::ReadLine(absl::Duration timeout) {
  STILE_ASSIGN_OR_RETURN(const std::string line, child_->ReadThrough("\n", kMaxLineBytes, timeout));
  absl::StatusOr<Json> message = ParseJson(WithoutLoneSurrogates(ToUtf8(line)));
  if (message.ok() && (message->is_object() || message->is_array())) return message;
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  if (absl::StartsWith(text, "{") && awaited_id_ != 0) {  // a reply, most likely: none will follow
    reply_ = absl::DataLossError(
        absl::StrCat("it sent a message that is no JSON: ", message.status().message()));
    has_reply_ = true;
  } else if (!text.empty() && other_lines_.count++ == 0) {
    other_lines_.first = ToUtf8(text.substr(0, 200));
  }
  if (other_lines_.count > kMaxOtherLines) {
    return absl::DataLossError(
        absl::StrCat("it writes lines that are no messages; the first is: ", other_lines_.first));
  }
  return absl::DeadlineExceededError("no message yet");
}

absl::StatusOr<Json> JsonRpcPeer::Read(absl::Duration timeout) {
  if (dialect_.framing == JsonRpcDialect::Framing::kLines) return ReadLine(timeout);
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
    reply_ = RpcResult(message);
    has_reply_ = true;
    return;
  }
  if (id == nullptr) {
    handlers_.on_notification(*method, params);
    return;
  }
  ++requests_.count;
  if (DumpJson(*id).size() > kMaxIdBytes) return;  // an answer would be as large
  const absl::Duration begin = SystemClock()->Monotonic();
  Send(RpcReply(handlers_, *id, *method, params));
  requests_.answering += SystemClock()->Monotonic() - begin;
}

}  // namespace stile
