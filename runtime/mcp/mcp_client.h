// A server of the Model Context Protocol, as the side that calls it sees it.
// Source: https://modelcontextprotocol.io/specification, revisions 2024-11-05 to 2026-07-28.
#ifndef STILE_RUNTIME_MCP_MCP_CLIENT_H_
#define STILE_RUNTIME_MCP_MCP_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/rpc/json_rpc_channel.h"

namespace stile {

struct McpToolInfo {
  std::string name;  // the server's; any text
  std::string description;
  Json input_schema;  // an object
};

struct McpToolAnswer {
  bool is_error = false;  // the tool failed, and the text says why
  std::string text;       // all that can be read of it
  Json structured;        // null: none
  // Media type, and the bytes of the file.
  std::vector<std::pair<std::string, std::string>> pictures;
};

struct McpResourceInfo {
  std::string uri;
  std::string name;
  std::string description;
};

// What a server may ask of this side.
struct McpClientHost {
  std::string workspace;  // absolute; sent as the only root; "": no roots
  // Answers elicitation/create: {"action": "accept" | "decline" | "cancel", "content"?}. Empty:
  // everything is declined.
  std::function<Json(const Json& params)> on_elicit;
};

// Not thread-safe. All calls block; their errors are those of JsonRpcChannel::Call, and DataLoss
// for an answer that violates the protocol. Log messages of the server are dropped.
class McpClient {
 public:
  using Opener =
      std::function<absl::StatusOr<std::unique_ptr<JsonRpcChannel>>(JsonRpcHandlers handlers)>;

  // Opens a channel and agrees on a revision: by `initialize`, or with a server that knows none by
  // `server/discover`. (The specification has a client of both eras begin with the latter; servers
  // of the older revisions may wait for `initialize` then, or end.)
  static absl::StatusOr<std::unique_ptr<McpClient>> Connect(const Opener& open, McpClientHost host,
                                                            absl::Duration timeout);

  const absl::Status& status() const { return channel_->status(); }
  bool has_resources() const { return Has("resources"); }

  // Empty where the server has none. At most 1,000.
  absl::StatusOr<std::vector<McpToolInfo>> ListTools(absl::Duration timeout);
  absl::StatusOr<std::vector<McpResourceInfo>> ListResources(absl::Duration timeout);

  // `on_progress` gets a line for each message of progress; may be empty.
  absl::StatusOr<McpToolAnswer> CallTool(const std::string& name, Json arguments,
                                         std::function<void(absl::string_view)> on_progress,
                                         absl::Duration timeout);
  // The text of a resource; of one in several parts all of it. FailedPrecondition: it is not text.
  absl::StatusOr<std::string> ReadResource(const std::string& uri, absl::Duration timeout);

 private:
  explicit McpClient(McpClientHost host) : host_(std::move(host)) {}
  absl::Status Greet(absl::Duration timeout);
  absl::Status Discover(absl::Duration timeout);
  bool Has(const char* capability) const;
  bool IsStateless() const;

  absl::StatusOr<Json> OnRequest(const std::string& method, const Json& params);
  void OnNotification(const std::string& method, const Json& params);

  // Sends a request. Adds the `_meta` members of the revision, and answers the server's input
  // requests until the result is complete.
  absl::StatusOr<Json> Ask(const std::string& method, Json params, absl::Duration timeout);
  // Calls `use` with each element of a list that comes in pages.
  absl::Status List(const std::string& method, const char* member,
                    const std::function<void(const Json&)>& use, absl::Duration timeout);

  const McpClientHost host_;
  std::unique_ptr<JsonRpcChannel> channel_;
  std::string revision_;
  Json capabilities_;
  int64_t progress_token_ = 0;                          // of the call under way
  std::function<void(absl::string_view)> on_progress_;  // of the call under way; may be empty
};

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_CLIENT_H_
