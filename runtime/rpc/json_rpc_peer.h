// JSON-RPC 2.0 with a program that Stile starts, over its standard streams.
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
#include "runtime/rpc/json_rpc_channel.h"

namespace stile {

// Where protocols on JSON-RPC differ.
struct JsonRpcDialect {
  // kHeader: a Content-Length header before each message. kLines: a message a line, in which there
  // is no other line end; lines that are no JSON are dropped, up to a limit.
  enum class Framing { kHeader, kLines } framing = Framing::kHeader;
  // The notification that withdraws a request, and the member of its parameters with the id.
  std::string cancel_method = "$/cancelRequest";
  std::string cancel_id = "id";
};

// The Language Server Protocol, 3.17.
inline JsonRpcDialect LspDialect() { return {}; }
// The Model Context Protocol on stdio.
inline JsonRpcDialect McpDialect() {
  return {JsonRpcDialect::Framing::kLines, "notifications/cancelled", "requestId"};
}

// Messages of the peer are handled on the calling thread, and only inside Call and Wait. Not
// thread-safe.
class JsonRpcPeer : public JsonRpcChannel {
 public:
  // Both handlers are set.
  JsonRpcPeer(std::unique_ptr<ChildProcess> child, JsonRpcDialect dialect, JsonRpcHandlers handlers,
              CancellationSource cancellation);

  absl::StatusOr<Json> Call(absl::string_view method, Json params, absl::Duration timeout) override;
  void Notify(absl::string_view method, Json params) override;
  const absl::Status& status() const override { return status_; }

  // Handles messages of the peer until `is_done`. The errors are those of Call.
  absl::Status Wait(const std::function<bool()>& is_done, absl::Duration timeout);

 private:
  void Send(const Json& message);
  // Reads and handles one message. OK when it was not there, or not whole, in time.
  absl::Status Step(absl::Duration timeout);
  absl::StatusOr<Json> Read(absl::Duration timeout);
  absl::StatusOr<Json> ReadLine(absl::Duration timeout);
  void Handle(const Json& message);

  const std::unique_ptr<ChildProcess> child_;
  const JsonRpcDialect dialect_;
  const JsonRpcHandlers handlers_;
  const CancellationSource cancellation_;
  absl::Status status_;
  int64_t last_id_ = 0;
  int64_t awaited_id_ = 0;  // 0: none
  struct {
    int count = 0;
    absl::Duration answering;  // how long it took to answer them
  } requests_;                 // of the peer
  struct {
    int count = 0;
    std::string first;
  } other_lines_;  // that were no messages
  // Of the message whose header was read, and whose body was not.
  std::optional<uint64_t> body_size_;
  bool has_reply_ = false;
  absl::StatusOr<Json> reply_;  // to awaited_id_, once has_reply_
};

}  // namespace stile

#endif  // STILE_RUNTIME_RPC_JSON_RPC_PEER_H_
