#include "runtime/mcp/mcp_message.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stile {

const std::vector<std::string>& HandshakeRevisions() {
  static const auto* const revisions =
      new std::vector<std::string>{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
  return *revisions;
}

Json ResultMessage(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json ErrorMessage(const Json& id, const McpError& error) {
  Json object = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(object)}};
}

int LogSeverity(absl::string_view level) {
  static constexpr absl::string_view kLevels[] = {"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};
  const auto* const found = std::find(std::begin(kLevels), std::end(kLevels), level);
  return found == std::end(kLevels) ? -1 : static_cast<int>(found - std::begin(kLevels));
}

}  // namespace stile
