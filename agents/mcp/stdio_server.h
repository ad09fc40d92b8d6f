// The server on two descriptors: one JSON message a line, in both directions.
#ifndef STILE_AGENTS_MCP_STDIO_SERVER_H_
#define STILE_AGENTS_MCP_STDIO_SERVER_H_

#include "absl/status/status.h"
#include "agents/mcp/mcp_session.h"
#include "runtime/base/cancellation.h"

namespace stile {

// Serves the peer that writes to `in` and reads from `out`. Returns OK when `in` has ended and
// everything asked before is answered, and when the peer is gone; Cancelled by `cancellation`.
// Requests that are under way then are cancelled. SIGPIPE must be ignored.
absl::Status ServeStdio(const McpServices& services, int in, int out,
                        const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_STDIO_SERVER_H_
