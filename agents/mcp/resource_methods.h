// The methods of the protocol that concern resources and prompts.
#ifndef STILE_AGENTS_MCP_RESOURCE_METHODS_H_
#define STILE_AGENTS_MCP_RESOURCE_METHODS_H_

#include <optional>
#include <string>

#include "agents/mcp/job_queue.h"
#include "agents/mcp/mcp_answers.h"
#include "agents/mcp/mcp_requests.h"
#include "agents/mcp/resource_watch.h"
#include "agents/mcp/subscriptions.h"
#include "agents/mcp/workspaces.h"

namespace stile {

// Those of one session. Thread-safe.
class ResourceMethods {
 public:
  using Pending = McpRequests::Pending;

  // Nothing is owned.
  ResourceMethods(McpWorkspaces* workspaces, ResourceWatch* watch, JobQueue* queue,
                  McpRequests* requests, McpAnswers* answers)
      : workspaces_(workspaces),
        queue_(queue),
        requests_(*requests),
        answers_(*answers),
        subscriptions_(watch) {}

  // Answers the request, now or on a thread of the queue. False: the method is not served here.
  bool Handle(const Pending& request);
  // Answers the requests of subscriptions/listen that are under way.
  void EndListening();
  NoticeStream* notices() { return subscriptions_.notices(); }

 private:
  void ListResources(const Pending& request);
  void ListTemplates(const Pending& request);
  void Read(const Pending& request);
  void Complete(const Pending& request);
  void ListPrompts(const Pending& request);
  void GetPrompt(const Pending& request);
  void Subscribe(const Pending& request);
  void Unsubscribe(const Pending& request);
  void Listen(const Pending& request);
  // The member `uri`; nullopt: it is missing, and the request has failed.
  std::optional<std::string> UriOf(const Pending& request);

  McpWorkspaces* const workspaces_;
  JobQueue* const queue_;
  McpRequests& requests_;
  McpAnswers& answers_;
  Subscriptions subscriptions_;
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_RESOURCE_METHODS_H_
