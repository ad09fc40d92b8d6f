#include "tools/agent/spawn_tool.h"

#include "absl/strings/ascii.h"
#include "runtime/tool/schema_builder.h"

namespace stile {
namespace {

class AgentSpawnTool : public Tool {
 public:
  AgentSpawnTool() {
    spec_.name = "agent.spawn";
    spec_.description =
        "Give a part of the task to a sub-agent and get its answer. It works in this workspace, on "
        "this run's budgets and through the same gate, and knows nothing but the task.";
    spec_.parameters =
        ObjectSchema({Required("task", "string", "All that it has to know, and what to answer."),
                      Optional("agent", "string", "Profile of the sub-agent.", "coding-agent")});
    spec_.output = ObjectSchema({Required("answer", "string")});
    spec_.argument_aliases = {{"prompt", "task"}, {"profile", "agent"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    if (!context.spawn) return ToolResult::Error("There are no sub-agents here.");
    const std::string task = JsonString(arguments, "task").value_or("");
    if (absl::StripAsciiWhitespace(task).empty()) return ToolResult::Error("The task is empty.");
    ToolResult result = context.spawn(JsonString(arguments, "agent").value_or(""), task);
    if (result.ok && result.fatal.ok()) result.data = {{"answer", result.text}};
    return result;
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewAgentSpawnTool() { return std::make_unique<AgentSpawnTool>(); }

}  // namespace stile
