// Tables of the methods that a part of the server answers.
#ifndef STILE_AGENTS_MCP_MCP_METHOD_H_
#define STILE_AGENTS_MCP_MCP_METHOD_H_

#include <cstddef>

#include "agents/mcp/mcp_requests.h"

namespace stile {

// The requests in which a method exists: those of peers that shake hands, or of peers that name
// their revision in every request.
enum class McpEra { kBoth, kHandshake, kStateless };

template <typename Handler>
struct McpMethod {
  const char* name;
  void (Handler::*run)(const McpRequests::Pending& request);
  McpEra era = McpEra::kBoth;
};

// False: none of the methods has the name and the era of the request.
template <typename Handler, size_t kCount>
bool RunMethod(const McpMethod<Handler> (&methods)[kCount], Handler* handler,
               const McpRequests::Pending& request) {
  const McpEra other = request->is_stateless ? McpEra::kHandshake : McpEra::kStateless;
  for (const McpMethod<Handler>& method : methods) {
    if (request->method != method.name || method.era == other) continue;
    (handler->*method.run)(request);
    return true;
  }
  return false;
}

}  // namespace stile

#endif  // STILE_AGENTS_MCP_MCP_METHOD_H_
