// Messages of the Model Context Protocol: JSON-RPC 2.0 objects, and the revisions of the protocol.
// Source: https://modelcontextprotocol.io/specification, revisions 2024-11-05 to 2026-07-28.
#ifndef STILE_RUNTIME_MCP_MCP_MESSAGE_H_
#define STILE_RUNTIME_MCP_MCP_MESSAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

enum McpErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kResourceNotFound = -32002,    // up to 2025-11-25; later kInvalidParams
  kUnsupportedVersion = -32022,  // from 2026-07-28
};

struct McpError {
  int code = kInternalError;
  std::string message;
  Json data;  // null: none
};

// Revisions with `initialize`, the newest first.
const std::vector<std::string>& HandshakeRevisions();
// The revision in which every request names its revision in `_meta`, and nothing is remembered.
inline constexpr char kStatelessRevision[] = "2026-07-28";

// Members of `_meta` from kStatelessRevision on.
inline constexpr char kMetaRevision[] = "io.modelcontextprotocol/protocolVersion";
inline constexpr char kMetaClientInfo[] = "io.modelcontextprotocol/clientInfo";
inline constexpr char kMetaCapabilities[] = "io.modelcontextprotocol/clientCapabilities";
inline constexpr char kMetaLogLevel[] = "io.modelcontextprotocol/logLevel";
inline constexpr char kMetaServerInfo[] = "io.modelcontextprotocol/serverInfo";

Json ResultMessage(const Json& id, Json result);
Json ErrorMessage(const Json& id, const McpError& error);

// Whether `text` is a level of logging of the protocol, and how severe: 0 is "debug", 7
// "emergency"; -1: it is none.
int LogSeverity(absl::string_view level);

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_MESSAGE_H_
