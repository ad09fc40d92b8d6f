#ifndef STILE_TOOLS_AGENT_SPAWN_TOOL_H_
#define STILE_TOOLS_AGENT_SPAWN_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"

namespace stile {

// agent.spawn: a part of the task for another agent of the same run (ToolContext::spawn).
std::unique_ptr<Tool> NewAgentSpawnTool();

}  // namespace stile

#endif  // STILE_TOOLS_AGENT_SPAWN_TOOL_H_
