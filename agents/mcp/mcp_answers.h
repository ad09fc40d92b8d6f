// How requests of a peer are answered, in both eras of the protocol.
#ifndef STILE_AGENTS_MCP_MCP_ANSWERS_H_
#define STILE_AGENTS_MCP_MCP_ANSWERS_H_

#include <string>
#include <utility>

#include "agents/mcp/mcp_requests.h"
#include "runtime/base/json.h"
#include "runtime/mcp/mcp_message.h"

namespace stile {

// Ends requests of one session. Thread-safe.
class McpAnswers {
 public:
  using Pending = McpRequests::Pending;

  // `version` is that of the server. `requests` is not owned.
  McpAnswers(std::string version, McpRequests* requests)
      : version_(std::move(version)), requests_(*requests) {}

  // Adds the members that the request's revision requires. `may_be_kept`: a peer can keep the
  // result for a minute.
  void Answer(const Pending& request, Json result, bool may_be_kept = false);
  // With one page of `items` as the member of that name; the request may name a later page.
  void List(const Pending& request, const char* member, const Json& items);
  void Fail(const Pending& request, const McpError& error);

  Json ServerInfo() const;

 private:
  const std::string version_;
  McpRequests& requests_;
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_MCP_ANSWERS_H_
