// A real executor and gate with a scripted model, and the tools that its tests call.
#ifndef STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_EXECUTOR_HARNESS_H_
#define STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_EXECUTOR_HARNESS_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/agent_loop/react_executor.h"
#include "runtime/process/process_runner.h"
#include "tests/support/gate_world.h"
#include "tests/support/scripted_model.h"

namespace stile {

// Edits as a shell command would: behind the runtime's back.
class EditTool : public Tool {
 public:
  explicit EditTool(bool idempotent) {
    spec_.name = "test.edit";
    spec_.idempotent = idempotent;
    spec_.parameters = {
        {"type", "object"},
        {"properties", {{"file", {{"type", "string"}}}, {"text", {{"type", "string"}}}}},
        {"required", {"file", "text"}},
        {"additionalProperties", false}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string path = context.workspace + "/" + *JsonString(arguments, "file");
    const absl::Status status =
        DiskFileSystem()->WriteFile(path, *JsonString(arguments, "text"), 0644, false);
    return status.ok() ? ToolResult::Success("written") : ToolResult::Fatal(status);
  }

 private:
  ToolSpec spec_;
};

class ValidateTool : public Tool {
 public:
  explicit ValidateTool(ValidationService* service) : service_(service) {
    spec_.name = "code.validate";
    spec_.read_only = true;
    spec_.parameters = {{"type", "object"},
                        {"properties", {{"projectPath", {{"type", "string"}}}}},
                        {"additionalProperties", false}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json& arguments, const ToolContext&) override {
    auto report = service_->Validate({JsonString(arguments, "projectPath").value_or("")});
    if (!report.ok()) return ToolResult::Fatal(report.status());
    return ToolResult::Success(report->summary);
  }

 private:
  ValidationService* service_;
  ToolSpec spec_;
};

// Says whatever it is told to, at any length; needs permission.
class SayTool : public Tool {
 public:
  SayTool() {
    spec_.name = "test.say";
    spec_.read_only = true;
    spec_.permission = DefaultPermission::kAsk;
    spec_.parameters = {{"type", "object"},
                        {"properties", {{"length", {{"type", "integer"}}}}},
                        {"additionalProperties", false}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json& arguments, const ToolContext&) override {
    return ToolResult::Success(
        std::string(static_cast<size_t>(JsonInt(arguments, "length").value_or(1)), 'x'));
  }

 private:
  ToolSpec spec_;
};

// Gives its task to a sub-agent.
class SpawnTool : public Tool {
 public:
  SpawnTool() {
    spec_.name = "test.spawn";
    spec_.parameters = {
        {"type", "object"},
        {"properties", {{"task", {{"type", "string"}}}, {"agent", {{"type", "string"}}}}},
        {"additionalProperties", false}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    return context.spawn ? context.spawn(JsonString(arguments, "agent").value_or(""),
                                         JsonString(arguments, "task").value_or(""))
                         : ToolResult::Error("nobody is here");
  }

 private:
  ToolSpec spec_;
};

// A real executor and gate on a real workspace of two projects, "a" and "b", with one file each.
struct Harness {
  GateWorld world;
  TempDir outputs;
  Cancellation cancellation;
  std::vector<Event> events;
  ExecutorOptions options;
  std::unique_ptr<ScriptedModel> model;
  int sub_agent_turns = 0;
  bool idempotent_edits = false;
  absl::Status model_end = absl::OutOfRangeError("no more replies");

  Harness() {
    world.workspace.Write("a/word.project", "");
    world.workspace.Write("a/file.word", "0");
    world.workspace.Write("a/notes.md", "0");
    world.workspace.Write("b/word.project", "");
    world.workspace.Write("b/file.word", "0");
    options.limits.max_turns = 50;
    options.consent.yes = true;
  }

  RunResult Run(std::vector<ModelReply> replies, GateSettings settings = {}) {
    world.Start(std::move(settings));
    world.events.AddSink([this](const Event& event) { events.push_back(event); });
    const ToolRegistry registry(Tools());
    options.plan_sub_agent = [this](const std::string& profile,
                                    const std::string& task) -> absl::StatusOr<SubAgentPlan> {
      if (profile == "nobody") return absl::NotFoundError("there is no profile 'nobody'");
      SubAgentPlan plan{"sub-system", "sub-task: " + task, nullptr, sub_agent_turns, 0};
      plan.tools = std::make_unique<ToolRegistry>(Tools());
      return plan;
    };
    model = std::make_unique<ScriptedModel>(std::move(replies));
    model->set_end(std::move(model_end));
    options.system_prompt = "system";
    options.user_prompt = "task";
    options.model = model.get();
    options.tools = &registry;
    options.gate = world.gate.get();
    options.events = &world.events;
    options.clock = SystemClock();
    options.cancellation = &cancellation;
    options.tool_context.workspace = world.workspace.path();
    options.tool_context.output_dir = outputs.path();
    options.tool_context.file_system = DiskFileSystem();
    options.tool_context.clock = SystemClock();
    return ReactExecutor(options).Run();
  }

  std::vector<std::unique_ptr<Tool>> Tools() {
    std::vector<std::unique_ptr<Tool>> tools;
    tools.push_back(std::make_unique<EditTool>(idempotent_edits));
    tools.push_back(std::make_unique<ValidateTool>(world.gate.get()));
    tools.push_back(std::make_unique<SayTool>());
    tools.push_back(std::make_unique<SpawnTool>());
    return tools;
  }

  // The text of the last message the model was sent.
  std::string LastObservation() const { return model->requests().back().messages.back().text; }
};

inline ModelReply Edit(const std::string& file, const std::string& text) {
  return CallReply("test.edit", {{"file", file}, {"text", text}});
}
inline ModelReply Validate() { return CallReply("code.validate"); }

inline ModelReply Together(std::vector<ModelReply> replies) {
  ModelReply all;
  for (ModelReply& reply : replies) {
    all.tool_calls.push_back(std::move(reply.tool_calls[0]));
  }
  return all;
}

inline ModelReply Spawn(const std::string& task, const std::string& agent = "") {
  return CallReply("test.spawn", {{"task", task}, {"agent", agent}});
}

}  // namespace stile

#endif  // STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_EXECUTOR_HARNESS_H_
