// The servers of one workspace, started when they are needed and kept.
#ifndef STILE_RUNTIME_MCP_MCP_SERVERS_H_
#define STILE_RUNTIME_MCP_MCP_SERVERS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation_source.h"
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/http/http_client.h"
#include "runtime/mcp/mcp_client.h"
#include "runtime/mcp/mcp_settings.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Programs end with this object. Not thread-safe.
class McpServers {
 public:
  // Pointers are not owned and outlive the servers. Functions are called on the thread of the
  // caller.
  struct Host {
    std::string workspace;  // absolute, no symlinks
    // What runs the program of a server: in the sandbox, as a command of the workspace.
    std::function<absl::StatusOr<ProcessRunner*>()> open_runner;
    Environment environment;  // of programs
    Environment variables;    // for `${NAME}` in settings
    std::function<std::unique_ptr<HttpClient>()> new_http_client;
    CancellationSource cancellation;
    // As in McpClientHost; may be empty.
    std::function<Json(const std::string& server, const Json& params)> on_elicit;
    Clock* clock = SystemClock();
  };
  McpServers(std::vector<McpServerSettings> settings, Host host);
  ~McpServers();
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;

  struct Offer {
    const McpServerSettings* server;
    McpToolInfo tool;
    bool read_only = false;  // by settings: what a server says of itself is not trusted
  };
  struct Listing {
    std::vector<Offer> tools;
    std::vector<std::string> with_resources;  // names of servers
    std::vector<std::string> failures;        // for people, of servers that gave no tools
  };
  // Starts the servers whose names are wanted and that do not run yet. Blocks for at most 90 s a
  // server.
  Listing ListTools(const std::function<bool(const std::string& server)>& is_wanted);

  // Ends all programs and sessions. All at once; blocks for about 4 s.
  void End();

  // A server that has ended is started again, after a pause that grows with each failure: within
  // it, and where it cannot be started, Unavailable says why. NotFound: no server of that name, or
  // its settings leave the tool out. Other errors are those of McpClient.
  absl::StatusOr<McpToolAnswer> CallTool(const std::string& server, const std::string& tool,
                                         Json arguments,
                                         std::function<void(absl::string_view)> on_progress);
  absl::StatusOr<std::vector<McpResourceInfo>> ListResources(const std::string& server);
  // NotFound: no server of that name.
  absl::StatusOr<std::string> ReadResource(const std::string& server, const std::string& uri);

 private:
  struct Connection {
    std::unique_ptr<McpClient> client;  // null: not started, or ended
    int failures = 0;                   // in a row
    absl::Duration next_try;            // Clock::Monotonic
    absl::Status failure;               // the last
  };
  absl::StatusOr<McpClient*> ClientOf(const McpServerSettings& server);
  absl::StatusOr<McpClient*> ClientOf(const std::string& server);
  absl::StatusOr<std::unique_ptr<McpClient>> Connect(const McpServerSettings& server);
  absl::StatusOr<std::unique_ptr<JsonRpcChannel>> OpenProgram(const McpServerSettings& server,
                                                              JsonRpcHandlers handlers);
  // Forgets the failures of a server that gave an answer.
  template <typename Answer>
  absl::StatusOr<Answer> Counted(const std::string& server, absl::StatusOr<Answer> answer);
  // NotFound if the settings of the server leave the tool out.
  absl::Status CheckOffered(const std::string& server, const std::string& tool) const;
  absl::Duration TimeoutOf(const std::string& server) const;

  const std::vector<McpServerSettings> settings_;
  const Host host_;
  std::map<std::string, Connection> connections_;  // by name of the server
};

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_SERVERS_H_
