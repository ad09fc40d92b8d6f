// JSON-RPC 2.0 with a program that Stile starts, over its standard streams. Messages are framed by
// a Content-Length header, as the Language Server Protocol has it.
#ifndef STILE_RUNTIME_RPC_JSON_RPC_PEER_H_
#define STILE_RUNTIME_RPC_JSON_RPC_PEER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation_source.h"
#include "runtime/base/json.h"
#include "runtime/process/child_process.h"

namespace stile {

// The error object of a reply, as a status: InvalidArgument for codes -32700 and -32600 (no
// request), Unimplemented for -32601 (unknown method), FailedPrecondition for all others: servers
// refuse with any of them. The message is the peer's.
absl::Status RpcErrorStatus(const Json& error);

// One side of the conversation. Messages of the peer are handled on the calling thread, and only
// inside Call and Wait. Not thread-safe.
class JsonRpcPeer {
 public:
  struct Handlers {
    // Answers a request of the peer. An Unimplemented status becomes error -32601, any other error
    // -32603.
    std::function<absl::StatusOr<Json>(const std::string& method, const Json& params)> on_request;
    std::function<void(const std::string& method, const Json& params)> on_notification;
  };

  // Both handlers are set.
  JsonRpcPeer(std::unique_ptr<ChildProcess> child, Handlers handlers,
              CancellationSource cancellation);

  // Sends a request and waits for its reply. Errors: RpcErrorStatus for an error reply;
  // DeadlineExceeded after `timeout`, and Cancelled, after the peer was asked to stop working on
  // it; Unavailable when the peer ended, broke the protocol or was ended for a flood of messages.
  // After Unavailable every further call fails in the same way.
  absl::StatusOr<Json> Call(absl::string_view method, Json params, absl::Duration timeout);
  void Notify(absl::string_view method, Json params);

  // Handles messages of the peer until `is_done`. The errors are those of Call.
  absl::Status Wait(const std::function<bool()>& is_done, absl::Duration timeout);

  // The reason for which the peer cannot be used any more; OK while it can.
  const absl::Status& status() const { return status_; }

 private:
  void Send(const Json& message);
  // Reads and handles one message. OK when it was not there, or not whole, in time.
  absl::Status Step(absl::Duration timeout);
  absl::StatusOr<Json> Read(absl::Duration timeout);
  void Handle(const Json& message);

  const std::unique_ptr<ChildProcess> child_;
  const Handlers handlers_;
  const CancellationSource cancellation_;
  absl::Status status_;
  int64_t last_id_ = 0;
  int64_t awaited_id_ = 0;  // 0: none
  int requests_ = 0;        // of the peer
  // Of the message whose header was read, and whose body was not.
  std::optional<uint64_t> body_size_;
  bool has_reply_ = false;
  absl::StatusOr<Json> reply_;  // to awaited_id_, once has_reply_
};

}  // namespace stile

#endif  // STILE_RUNTIME_RPC_JSON_RPC_PEER_H_
