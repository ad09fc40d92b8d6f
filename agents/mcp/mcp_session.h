// One conversation with a peer of the Model Context Protocol, over any transport.
#ifndef STILE_AGENTS_MCP_MCP_SESSION_H_
#define STILE_AGENTS_MCP_MCP_SESSION_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "agents/mcp/job_queue.h"
#include "agents/mcp/mcp_answers.h"
#include "agents/mcp/mcp_requests.h"
#include "agents/mcp/mcp_tool.h"
#include "agents/mcp/open_call.h"
#include "agents/mcp/resource_methods.h"
#include "agents/mcp/resource_watch.h"
#include "agents/mcp/tasks.h"
#include "agents/mcp/workspaces.h"
#include "runtime/base/json.h"
#include "runtime/mcp/mcp_message.h"
#include "runtime/rpc/json_rpc_channel.h"

namespace stile {

// Services shared by all sessions of a server.
struct McpServices {
  McpWorkspaces* workspaces = nullptr;  // not owned, as all below
  JobQueue* queue = nullptr;
  OpenCalls* calls = nullptr;
  McpTasks* tasks = nullptr;
  ResourceWatch* watch = nullptr;
  // In the order in which peers see them. They outlive the queue: a call can wait for a peer that
  // is gone.
  std::vector<McpTool> tools;
};

// Whether McpSession::Handle answers a message, if only with an error.
bool IsAnswered(const Json& message);

// The conversation with one peer, over any transport. It serves both eras of the protocol: peers
// that shake hands (initialize), and peers that name their revision in every request.
// Thread-safe; replies come on the threads of the queue.
class McpSession {
 public:
  using Reply = McpRequest::Reply;

  // `services` is not owned.
  explicit McpSession(const McpServices* services);
  // Cancels what is under way, and waits for it.
  ~McpSession();
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  // One message of the peer. A request gets exactly one answer, now or later, unless it is
  // cancelled; notifications get none. Does not wait for tools.
  void Handle(const Json& message, const Reply& reply);
  // Waits until nothing is under way, for as long as `timeout`. False: something still is.
  bool WaitFor(absl::Duration timeout) { return requests_.WaitFor(timeout); }
  // Ends the requests that are under way; they are not answered. Ends the stream of
  // notices.
  void CancelAll();
  // Answers the requests that only listen: nothing more can come of them.
  void EndListening() { resources_.EndListening(); }
  NoticeStream* notices() { return resources_.notices(); }

 private:
  using Pending = McpRequests::Pending;

  void HandleRequest(Json id, const std::string& method, const Json& params, const Reply& reply);
  void HandleNotification(const std::string& method, const Json& params);
  // False, with an error, where the request does not fit the state of the session.
  bool FindEra(McpRequest* request, McpError* error);
  void Dispatch(const Pending& request);
  void Ping(const Pending& request);
  void Initialize(const Pending& request);
  void Discover(const Pending& request);
  void SetLevel(const Pending& request);
  void ListTools(const Pending& request);
  void CallTool(const Pending& request);
  // tasks/get, tasks/cancel, tasks/list; tasks/result, which is answered when the task has ended.
  void UseTask(const Pending& request);
  // A call that waits for what it asked the peer.
  void GoOnWithCall(const Pending& request);
  OpenCall::Waiting WaitFor(const Pending& request);

  const McpServices& services_;
  std::mutex mutex_;
  std::string revision_;  // of the handshake; "": there was none. Guarded by mutex_
  std::string client_;    // guarded by mutex_
  Json capabilities_;     // of the peer; guarded by mutex_
  int log_severity_ = 8;  // guarded by mutex_
  const std::string id_;  // owns tasks
  PeerQuestions questions_;
  McpRequests requests_;
  McpAnswers answers_;
  ResourceMethods resources_;
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_MCP_SESSION_H_
