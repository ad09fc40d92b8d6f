// The gate for an agent that changes files with its own tools.
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/open_session.h"
#include "agents/api/session_choice.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

absl::StatusOr<std::unique_ptr<Agent>> NewAgent(const McpWorkspaces& workspaces,
                                                const std::string& workspace,
                                                const ConfigFlags& flags, const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(AgentOptions options, workspaces.OptionsFor(workspace, flags));
  options.cancellation = call.cancellation;
  options.alone = true;
  if (call.on_progress) {
    options.on_event = [&call](const Event& event) {
      const std::string text = ProgressText(event);
      if (!text.empty()) call.on_progress(text);
    };
  }
  return Agent::Create(std::move(options));
}

absl::StatusOr<OpenSession> Choose(McpWorkspaces* workspaces, const Json& arguments) {
  const std::string id = JsonString(arguments, "runId").value_or("");
  STILE_ASSIGN_OR_RETURN(const std::string folder, workspaces->Resolve(arguments));
  absl::StatusOr<OpenSession> session = ChooseSession(workspaces->runs(), id, folder);
  if (absl::IsNotFound(session.status()) && id.empty()) {
    return absl::NotFoundError(
        absl::StrCat(session.status().message(), "; open one with gate_begin"));
  }
  STILE_RETURN_IF_ERROR(session.status());
  if (!workspaces->IsServed(session->workspace)) {
    return absl::PermissionDeniedError(
        absl::StrCat("session ", session->id, " is in ", ToUtf8(session->workspace),
                     ", which lies outside of the folder of this server"));
  }
  return session;
}

absl::StatusOr<ToolResult> Begin(McpWorkspaces* workspaces, const Json& arguments,
                                 const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  STILE_ASSIGN_OR_RETURN(const std::optional<OpenSession> open,
                         FindOverlapping(workspaces->runs(), workspace));
  if (open.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session ", DescribeSession(*open), " is open in ", ToUtf8(open->workspace),
        ". Two sessions in one workspace take each other's changes for their own. If it is yours, "
        "go on with it; else end it with gate_finish, or give it up with giveUp"));
  }
  ConfigFlags flags;
  if (JsonString(arguments, "level") == "test") {
    flags.values.push_back({"gate.level", "test", "level"});
  }
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent,
                         NewAgent(*workspaces, workspace, flags, call));
  STILE_ASSIGN_OR_RETURN(const std::string id,
                         agent->OpenSession({call.client, "", SettingsOf(flags)}));
  return ToolResult::Success(
      absl::StrCat("Session ", id, " is open in ", ToUtf8(workspace),
                   ". Change the files, then call gate_finish before you say that you are done."),
      {{"runId", id}, {"workspace", ToUtf8(workspace)}});
}

absl::StatusOr<ToolResult> Status(McpWorkspaces* workspaces, const Json& arguments,
                                  const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const OpenSession session, Choose(workspaces, arguments));
  STILE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Agent> agent,
      NewAgent(*workspaces, session.workspace, FlagsOf(session.work.settings), call));
  STILE_ASSIGN_OR_RETURN(const SessionStatus status, agent->LookAtSession(session.id));
  Json data = ToJson(status);
  data["runId"] = session.id;
  return ToolResult::Success(StatusText(status), std::move(data));
}

absl::StatusOr<ToolResult> Finish(McpWorkspaces* workspaces, const Json& arguments,
                                  const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const OpenSession session, Choose(workspaces, arguments));
  STILE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Agent> agent,
      NewAgent(*workspaces, session.workspace, FlagsOf(session.work.settings), call));
  const bool gives_up = JsonBool(arguments, "giveUp").value_or(false);
  STILE_ASSIGN_OR_RETURN(const RunResult result, agent->FinishSession(session.id, gives_up));
  if (result.reason == StopReason::kCancelled) return absl::CancelledError("cancelled");
  return ReportRun(*workspaces, result, session.id);
}

McpTool NewTool(std::string name, std::string title, std::string description, Json arguments) {
  McpTool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  arguments["workspace"] = WorkspaceArgument();
  tool.input = {
      {"type", "object"}, {"properties", std::move(arguments)}, {"additionalProperties", false}};
  return tool;
}

Json RunIdArgument() {
  return {{"type", "string"},
          {"description", "The session; if left out, the one that is open in the workspace"}};
}

}  // namespace

std::vector<McpTool> GateTools(McpWorkspaces* workspaces) {
  std::vector<McpTool> tools;
  tools.push_back(NewTool(
      "gate_begin", "Open a session of the gate",
      "Call this before you change files. From then on every change in the workspace, by any tool "
      "or program, counts as the work of this session, until gate_finish accepts it. The session "
      "stays open when this server ends.",
      {{"level",
        {{"type", "string"},
         {"enum", {"build", "test"}},
         {"description",
          "test: the tests must pass, too; the configuration can demand it anyway"}}}}));
  tools.back().output = {
      {"type", "object"},
      {"properties", {{"runId", {{"type", "string"}}}, {"workspace", {{"type", "string"}}}}},
      {"required", {"runId", "workspace"}}};
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return Begin(workspaces, arguments, call);
  };
  tools.push_back(NewTool(
      "gate_status", "Show what is not validated",
      "Lists the files that changed in an open session and the projects that still have to be "
      "validated. Builds nothing.",
      {{"runId", RunIdArgument()}}));
  const Json list = {{"type", "array"}, {"items", {{"type", "string"}}}};
  tools.back().output = {{"type", "object"},
                         {"properties",
                          {{"runId", {{"type", "string"}}},
                           {"changed", list},
                           {"remaining", list},
                           {"failures", {{"type", "integer"}}},
                           {"others", list}}},
                         {"required", {"runId", "changed", "remaining"}}};
  tools.back().read_only = true;
  tools.back().idempotent = true;
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return Status(workspaces, arguments, call);
  };
  tools.push_back(NewTool(
      "gate_finish", "Ask the gate to accept the work",
      "Call this before you say that you are done. Builds (or tests) what changed in the session. "
      "If it passes, a certificate is written. If not, the answer is an error that names files and "
      "lines: mend them and call it again. After gate.max_failures (5) refusals in a row the "
      "session ends as failed.",
      {{"runId", RunIdArgument()},
       {"giveUp",
        {{"type", "boolean"},
         {"default", false},
         {"description",
          "End the session as failed; nothing is validated, and changed files stay"}}}}));
  tools.back().output = RunSchema();
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return Finish(workspaces, arguments, call);
  };
  return tools;
}

}  // namespace stile
