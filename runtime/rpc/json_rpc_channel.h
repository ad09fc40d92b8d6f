// JSON-RPC 2.0 as the side that calls sees it, whatever carries the messages.
#ifndef STILE_RUNTIME_RPC_JSON_RPC_CHANNEL_H_
#define STILE_RUNTIME_RPC_JSON_RPC_CHANNEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"

namespace stile {

// The error object of a reply, as a status: InvalidArgument for codes -32700 and -32600 (no
// request), Unimplemented for -32601 (unknown method), FailedPrecondition for all others: servers
// refuse with any of them. The message is the peer's, cut in the middle past 2,000 bytes.
absl::Status RpcErrorStatus(const Json& error);
// Code and message of the error that RpcErrorStatus got; nullopt for every other status.
std::optional<Json> RpcErrorOf(const absl::Status& status);

// For messages of the peer. They are called on the thread that waits for the peer.
struct JsonRpcHandlers {
  // Answers a request. An Unimplemented status becomes error -32601, any other error -32603.
  std::function<absl::StatusOr<Json>(const std::string& method, const Json& params)> on_request;
  std::function<void(const std::string& method, const Json& params)> on_notification;
};

// The result in a reply; RpcErrorStatus of its error.
absl::StatusOr<Json> RpcResult(const Json& reply);
Json RpcRequest(int64_t id, absl::string_view method, Json params);  // null params: none
Json RpcNotification(absl::string_view method, Json params);
// What `handlers` answer to a request with that id.
Json RpcReply(const JsonRpcHandlers& handlers, const Json& id, const std::string& method,
              const Json& params);

// Not thread-safe.
class JsonRpcChannel {
 public:
  virtual ~JsonRpcChannel() = default;

  // Sends a request and waits for its reply. Errors: RpcErrorStatus for an error reply;
  // DeadlineExceeded after `timeout`, and Cancelled, after the peer was asked to stop working on
  // it; Unavailable when the peer cannot be reached, has ended, or broke the protocol. If status()
  // is not OK then, every further call fails with it. The time in which handlers answer the peer
  // does not count.
  virtual absl::StatusOr<Json> Call(absl::string_view method, Json params,
                                    absl::Duration timeout) = 0;
  // Errors are dropped. Blocks for 2 s at most.
  virtual void Notify(absl::string_view method, Json params) = 0;
  // The reason for which the peer cannot be used any more; OK while it can.
  virtual const absl::Status& status() const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_RPC_JSON_RPC_CHANNEL_H_
