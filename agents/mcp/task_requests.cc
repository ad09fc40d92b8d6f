#include "agents/mcp/task_requests.h"

#include <algorithm>
#include <optional>

namespace stile {
namespace {

constexpr absl::Duration kTaskTtl = absl::Hours(1);
constexpr absl::Duration kMaxTaskTtl = absl::Hours(24);

}  // namespace

TaskProtocol TasksOf(const McpRequest& request) {
  if (!request.is_stateless) {
    return request.revision == kRevisionWithTasks ? TaskProtocol::kRequested : TaskProtocol::kNone;
  }
  const Json* const extensions = JsonMember(request.capabilities, "extensions");
  const bool is_declared =
      extensions != nullptr && JsonMember(*extensions, kTasksExtension) != nullptr;
  return is_declared ? TaskProtocol::kExtension : TaskProtocol::kNone;
}

bool AsksForTask(const McpRequest& request) {
  return TasksOf(request) == TaskProtocol::kRequested &&
         JsonMember(request.params, "task") != nullptr;
}

bool BecomesTask(const McpRequest& request, const McpTool& tool) {
  if (!tool.takes_long) return false;
  return AsksForTask(request) || TasksOf(request) == TaskProtocol::kExtension;
}

absl::Duration TtlOf(const McpRequest& request) {
  const Json* const task = JsonMember(request.params, "task");
  const auto ttl_ms = task == nullptr ? std::nullopt : JsonInt(*task, "ttl");
  if (!ttl_ms.has_value() || *ttl_ms < 0) return kTaskTtl;
  return std::min(absl::Milliseconds(*ttl_ms), kMaxTaskTtl);
}

}  // namespace stile
