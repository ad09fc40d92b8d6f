// Work that Stile's own agents do for the peer.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agents/api/pipeline_inputs.h"
#include "agents/api/planned_story.h"
#include "agents/api/provider_secrets.h"
#include "agents/api/runs.h"
#include "agents/api/toolbox.h"
#include "agents/api/verification_request.h"
#include "agents/api/workflow_outcome.h"
#include "agents/mcp/elicitation.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/event.h"
#include "runtime/event/loop_events.h"
#include "runtime/story/story_runner.h"
#include "runtime/tool/consent.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// An agent for one run, and the id of the run once its first event has come.
struct OneRun {
  std::unique_ptr<Agent> agent;
  std::shared_ptr<std::string> id = std::make_shared<std::string>();
  Config::Deliver deliver;
  Consent consent;
};

// A file of the workspace, or one that comes with Stile.
absl::StatusOr<std::string> FileOf(const McpWorkspaces& workspaces, const std::string& workspace,
                                   const std::string& file) {
  if (absl::StartsWith(file, "builtin:")) return file;
  const absl::StatusOr<std::string> real =
      RealPath(absl::StartsWith(file, "/") ? file : JoinPath(workspace, file));
  if (!real.ok()) {
    return absl::NotFoundError(
        absl::StrCat("there is no file ", ToUtf8(file), " in ", ToUtf8(workspace)));
  }
  if (!IsWithin(*real, workspaces.options().root)) {
    return absl::PermissionDeniedError(
        absl::StrCat(ToUtf8(file), " lies outside of the folder of this server"));
  }
  return *real;
}

absl::StatusOr<OneRun> NewRun(const McpWorkspaces& workspaces, const std::string& workspace,
                              const Json& arguments, const McpCall& call) {
  ConfigFlags flags;
  for (const auto& [name, key] : {std::pair("model", "model"), std::pair("agent", "agent")}) {
    if (const auto text = JsonString(arguments, name)) flags.values.push_back({key, *text, name});
  }
  if (JsonString(arguments, "level") == "test") {
    flags.values.push_back({"gate.level", "test", "level"});
  }
  if (const auto turns = JsonInt(arguments, "maxTurns")) {
    flags.values.push_back({"limits.max_turns", absl::StrCat(*turns), "maxTurns"});
  }
  // A cassette is a file; no peer reads one that it could not read with the other tools.
  const std::string model = JsonString(arguments, "model").value_or("");
  absl::string_view cassette = model;
  if (absl::ConsumePrefix(&cassette, "replay:")) {
    STILE_ASSIGN_OR_RETURN(const std::string file,
                           FileOf(workspaces, workspace, std::string(cassette)));
    flags.values.push_back({"model", absl::StrCat("replay:", file), "model"});
  }
  STILE_ASSIGN_OR_RETURN(AgentOptions options, workspaces.OptionsFor(workspace, flags));
  options.cancellation = call.cancellation;
  options.alone = true;
  options.sampling = call.sampling;
  // Stories and workflows name models of their own.
  const bool may_sample = call.sampling.create_message && !arguments.contains("file");
  if (options.config.model.empty() && may_sample) options.config.model = "sampling:";
  AskByElicitation(call, &options);
  OneRun run;
  run.deliver = options.config.deliver;
  run.consent = {options.config.permissions, options.config.yes, options.on_ask, workspace,
                 options.outer_permissions};
  options.on_event = [&call, id = run.id](const Event& event) {
    if (id->empty()) *id = event.run_id;
    if (event.type == EventType::kLog && call.on_log) {
      const auto log = ReadRecord<LogEvent>(event);
      call.on_log(log.level, log.text.is_string() ? log.text.get<std::string>() : "");
    }
    const std::string text = call.on_progress ? ProgressText(event) : "";
    if (!text.empty()) call.on_progress(text);
  };
  STILE_ASSIGN_OR_RETURN(run.agent, Agent::Create(std::move(options)));
  return run;
}

// A run that was cancelled is not answered; its end is in its journal.
absl::StatusOr<ToolResult> Report(const McpWorkspaces& workspaces, const RunResult& result,
                                  const OneRun& run) {
  if (result.reason == StopReason::kCancelled) return absl::CancelledError("cancelled");
  return ReportRun(workspaces, result, *run.id);
}

absl::StatusOr<ToolResult> RunTask(McpWorkspaces* workspaces, const Json& arguments,
                                   const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, arguments, call));
  Task task;
  task.text = JsonString(arguments, "task").value_or("");
  task.context = JsonString(arguments, "context").value_or("");
  STILE_ASSIGN_OR_RETURN(const RunResult result, run.agent->Run(task));
  return Report(*workspaces, result, run);
}

absl::StatusOr<ToolResult> RunStory(McpWorkspaces* workspaces, const Json& arguments,
                                    const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  STILE_ASSIGN_OR_RETURN(
      const std::string file,
      FileOf(*workspaces, workspace, JsonString(arguments, "file").value_or("")));
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, arguments, call));
  StoryOptions options;
  options.worktree = JsonBool(arguments, "worktree").value_or(false);
  options.commit = run.deliver.commit && JsonBool(arguments, "commit").value_or(true);
  options.paths = run.deliver.paths;
  STILE_ASSIGN_OR_RETURN(const StoryResult result, run.agent->RunStory(file, options));
  absl::StatusOr<ToolResult> report = Report(*workspaces, result.overall, run);
  if (report.ok() && report->data.is_object()) {
    report->data["branch"] = result.branch;
    report->data["commit"] = result.commit;
  }
  return report;
}

// A workflow that comes with Stile, whose inputs are the other arguments.
struct Pipeline {
  const char* workflow;
  absl::StatusOr<Json> (*inputs)(const Json& given);
  std::vector<std::string> commands;  // of the inputs
  bool needs_clean_tree = false;
};

Pipeline AppPipeline() {
  return {kAppWorkflow,
          AppInputs,
          {"validate", "lint", "transpile", "install", "build", "serve", "probe", "tool_version"}};
}

Pipeline CyclePipeline() {
  return {kCycleWorkflow, CycleInputs, {"qa"}, /*needs_clean_tree=*/true};
}

// The rules for files hold for what the inputs name.
absl::Status CheckFiles(const OneRun& run, const Json& inputs) {
  ToolSpec spec;
  spec.name = "file.write";
  spec.permission_argument = "path";
  for (const char* name : {"source", "out"}) {
    const std::string path = JsonString(inputs, name).value_or("");
    if (path.empty()) continue;
    for (const std::string& written : {path, absl::StrCat(path, "/file")}) {
      STILE_RETURN_IF_ERROR(
          WithContext(run.consent.CheckCall(spec, {{"path", written}}, nullptr), name));
    }
  }
  return absl::OkStatus();
}

// The rules for commands hold for those that a peer gives as inputs.
absl::Status CheckCommands(const OneRun& run, const std::vector<std::string>& names,
                           const Json& inputs) {
  ToolSpec spec;
  spec.name = "shell.execute";
  spec.permission = DefaultPermission::kAllowInSandbox;
  spec.permission_argument = "command";
  const auto is_sandboxed = [&run] {
    const auto sandbox = run.agent->Sandbox();
    return sandbox.ok() && sandbox->active;
  };
  for (const std::string& name : names) {
    const std::string command = JsonString(inputs, name).value_or("");
    if (command.empty()) continue;
    STILE_RETURN_IF_ERROR(
        WithContext(run.consent.CheckCall(spec, {{"command", command}}, is_sandboxed), name));
  }
  // Stile makes the calls of MCP servers outside of the sandbox.
  const std::vector<std::string> asked =
      absl::StrSplit(JsonString(inputs, "mcp").value_or(""), ' ', absl::SkipEmpty());
  for (const std::string& name : asked) {
    ToolSpec call;
    call.name = name;
    Json arguments = Json::object();
    if (const size_t colon = name.find(':'); colon < name.find('.')) {
      call.name = "mcp.read_resource";
      call.permission_argument = "server";
      arguments["server"] = name.substr(0, colon);
    }
    call.permission = DefaultPermission::kAsk;
    STILE_RETURN_IF_ERROR(run.consent.CheckCall(call, arguments, nullptr));
  }
  return absl::OkStatus();
}

absl::StatusOr<ToolResult> RunWorkflow(McpWorkspaces* workspaces, const Json& arguments,
                                       const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  STILE_ASSIGN_OR_RETURN(
      const std::string file,
      FileOf(*workspaces, workspace, JsonString(arguments, "file").value_or("")));
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, arguments, call));
  WorkflowRequest request;
  if (const Json* inputs = JsonMember(arguments, "inputs")) request.inputs = *inputs;
  // The peer gives the commands of these as inputs.
  for (const Pipeline& pipeline : {AppPipeline(), CyclePipeline()}) {
    if (file != pipeline.workflow) continue;
    STILE_RETURN_IF_ERROR(CheckFiles(run, request.inputs));
    STILE_RETURN_IF_ERROR(CheckCommands(run, pipeline.commands, request.inputs));
  }
  STILE_ASSIGN_OR_RETURN(const WorkflowOutcome outcome, run.agent->RunWorkflow(file, request));
  absl::StatusOr<ToolResult> report = Report(*workspaces, outcome.overall, run);
  if (report.ok() && report->data.is_object()) report->data["outputs"] = outcome.workflow.outputs;
  return report;
}

absl::StatusOr<ToolResult> RunPipeline(McpWorkspaces* workspaces, const Pipeline& pipeline,
                                       const Json& arguments, const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  Json own = Json::object();
  if (const auto model = JsonString(arguments, "model")) own["model"] = *model;
  Json given = arguments;
  for (const char* name : {"workspace", "model"}) given.erase(name);
  WorkflowRequest request;
  STILE_ASSIGN_OR_RETURN(request.inputs, pipeline.inputs(given));
  request.needs_clean_tree = pipeline.needs_clean_tree;
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, own, call));
  STILE_RETURN_IF_ERROR(CheckFiles(run, request.inputs));
  STILE_RETURN_IF_ERROR(CheckCommands(run, pipeline.commands, request.inputs));
  STILE_ASSIGN_OR_RETURN(const WorkflowOutcome outcome,
                         run.agent->RunWorkflow(pipeline.workflow, request));
  absl::StatusOr<ToolResult> result = Report(*workspaces, outcome.overall, run);
  const Json& report = outcome.workflow.report;
  if (!result.ok() || !report.is_object()) return result;
  const SecretMasker secrets = ProviderSecrets(workspaces->options().environment);
  result->data["report"] = report;
  secrets.MaskValues(&result->data["report"]);
  if (const auto summary = JsonString(report, "summary")) {
    absl::StrAppend(&result->text, "\n", secrets.Mask(*summary));
  }
  return result;
}

absl::StatusOr<ToolResult> RunPlan(McpWorkspaces* workspaces, const Json& arguments,
                                   const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  const std::string out = JsonString(arguments, "out").value_or("");
  const bool replace = JsonBool(arguments, "replace").value_or(false);
  std::string file;
  if (!out.empty()) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath path, ResolveInWorkspace(workspace, out));
    file = path.absolute;
    STILE_RETURN_IF_ERROR(WithContext(CheckPlanFile(file, replace), "out"));
  }
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, arguments, call));
  WorkflowRequest request;
  request.inputs = {{"goal", JsonString(arguments, "goal").value_or("")},
                    {"out", ToUtf8(file)},
                    {"replace", replace}};
  STILE_ASSIGN_OR_RETURN(const WorkflowOutcome outcome,
                         run.agent->RunWorkflow(kPlanWorkflow, request));
  absl::StatusOr<ToolResult> result = Report(*workspaces, outcome.overall, run);
  if (!result.ok() || !outcome.overall.ok()) return result;
  STILE_ASSIGN_OR_RETURN(Story story, PlannedStory(outcome.workflow.outputs));
  if (!out.empty()) {
    STILE_ASSIGN_OR_RETURN(story.workspace, WorkspaceSeenFrom(file, workspace));
    // By the tool for files, for which all rules hold.
    ToolUse use;
    use.name = "file.write";
    use.arguments = {{"path", out}, {"content", StoryText(story)}};
    use.cancellation = call.cancellation;
    use.on_ask = PermissionPromptOf(call);
    STILE_ASSIGN_OR_RETURN(const std::shared_ptr<Toolbox> toolbox,
                           workspaces->ToolboxOf(workspace));
    STILE_ASSIGN_OR_RETURN(const ToolResult written, toolbox->Use(use));
    if (!written.ok) return written;
  }
  result->data["story"] = StoryText(story);
  absl::StrAppend(&result->text, "\n", StoryText(story));
  return result;
}

// The result of a verification for a model: its end, then each open issue.
std::string TextOf(const VerificationOutcome& outcome) {
  const VerifyState& state = outcome.state;
  std::string text =
      absl::StrCat(VerifyStatusName(state.status), ", session ", state.id, "\n",
                   ToUtf8(outcome.overall.message), "\n", ToUtf8(outcome.overall.answer));
  for (const VerifyIssue& issue : state.issues) {
    if (!issue.is_active()) continue;
    absl::StrAppend(&text, "\n", issue.id, " ", IssueSeverityName(issue.severity), " ",
                    IssuePlaceText(issue.place), ": ", issue.summary);
  }
  return text;
}

absl::StatusOr<ToolResult> RunVerify(McpWorkspaces* workspaces, const Json& arguments,
                                     const McpCall& call) {
  STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
  STILE_ASSIGN_OR_RETURN(const OneRun run, NewRun(*workspaces, workspace, arguments, call));
  VerificationOutcome outcome;
  if (const auto id = JsonString(arguments, "runId")) {
    for (const char* key : {"target", "exclude", "requirements", "workingDir"}) {
      if (!arguments.contains(key)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("runId goes on with the session's own ", key, "; leave it out"));
    }
    STILE_ASSIGN_OR_RETURN(const RunSummary earlier, workspaces->runs()->Find(*id));
    if (earlier.workspace != ToUtf8(workspace)) {
      return absl::NotFoundError(absl::StrCat("there is no session ", *id, " in this workspace"));
    }
    STILE_ASSIGN_OR_RETURN(const VerificationChanges changes,
                           VerificationChangesFromJson(arguments));
    STILE_ASSIGN_OR_RETURN(outcome, run.agent->ContinueVerification(*id, changes));
  } else {
    if (arguments.contains("fromRound")) {
      return absl::InvalidArgumentError("fromRound changes a session: name it with runId");
    }
    STILE_ASSIGN_OR_RETURN(const VerificationRequest request,
                           VerificationRequestFromJson(arguments));
    STILE_ASSIGN_OR_RETURN(outcome, run.agent->Verify(request));
  }
  if (outcome.overall.reason == StopReason::kCancelled) return absl::CancelledError("cancelled");
  const SecretMasker secrets = ProviderSecrets(workspaces->options().environment);
  Json report = VerificationReport(outcome.state);
  secrets.MaskValues(&report);
  ToolResult result = ToolResult::Success(secrets.Mask(TextOf(outcome)), std::move(report));
  result.ok = outcome.overall.ok();
  return result;
}

absl::StatusOr<ToolResult> ShowVerification(McpWorkspaces* workspaces, const Json& arguments) {
  STILE_RETURN_IF_ERROR(workspaces->Resolve(arguments).status());
  const std::string id = JsonString(arguments, "runId").value_or("");
  STILE_ASSIGN_OR_RETURN(const RunSummary run, workspaces->runs()->Find(id));
  if (!workspaces->IsServed(run.workspace)) {
    return absl::NotFoundError(absl::StrCat("there is no session ", id));
  }
  STILE_ASSIGN_OR_RETURN(const VerifyState state, workspaces->runs()->VerificationState(id));
  Json report = VerificationReport(state);
  ProviderSecrets(workspaces->options().environment).MaskValues(&report);
  return ToolResult::Success(DumpJson(report, 2), report);
}

Json VerificationSchema() {
  const Json text = {{"type", "string"}};
  const Json count = {{"type", "integer"}};
  return {
      {"type", "object"},
      {"properties",
       {{"sessionId", text},
        {"status", {{"type", "string"}, {"enum", {"running", "converged", "stopped", "error"}}}},
        {"totalRounds", count},
        {"duration", {{"type", "integer"}, {"description", "Milliseconds"}}},
        {"issues",
         {{"type", "object"},
          {"properties",
           {{"total", count}, {"critical", count}, {"high", count}, {"resolved", count}}}}},
        {"convergenceReason", text},
        {"error", text},
        {"consolidatedPlan", {{"type", "object"}}},
        {"openIssues", {{"type", "array"}, {"items", {{"type", "object"}}}}}}},
      {"required", {"sessionId", "status", "totalRounds", "issues", "openIssues"}}};
}

McpTool NewTool(std::string name, std::string title, std::string description, Json arguments,
                Json required) {
  McpTool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  arguments["workspace"] = WorkspaceArgument();
  arguments["model"] = {
      {"type", "string"},
      {"description", "PROVIDER:MODEL; if left out, the one of the configuration"}};
  tool.input = {{"type", "object"},
                {"properties", std::move(arguments)},
                {"required", std::move(required)},
                {"additionalProperties", false}};
  tool.output = RunSchema();
  tool.destructive = true;
  tool.open_world = true;
  tool.takes_long = true;
  return tool;
}

Json Text(const char* description) { return {{"type", "string"}, {"description", description}}; }

// `schema`: of the inputs, see pipeline_inputs.h.
McpTool NewPipelineTool(McpWorkspaces* workspaces, McpTool tool, const Json& schema,
                        const Pipeline& pipeline) {
  for (const auto& [name, property] : schema["properties"].items()) {
    tool.input["properties"][name] = property;
  }
  tool.input["required"] = schema["required"];
  tool.output["properties"]["report"] = {{"type", "object"}};
  tool.run = [workspaces, pipeline](const Json& arguments, const McpCall& call) {
    return RunPipeline(workspaces, pipeline, arguments, call);
  };
  return tool;
}

void AddPipelineTools(McpWorkspaces* workspaces, std::vector<McpTool>* tools) {
  tools->push_back(NewPipelineTool(
      workspaces,
      NewTool(
          "app", "Write, repair, transpile and deliver an application",
          "An agent writes a source file; your commands validate, lint and transpile it; errors "
          "go back to the agent. Delivers only what was transpiled twice alike and passed the "
          "smoke test. Commands run in the sandbox of the workspace. Takes minutes.",
          Json::object(), Json::array()),
      AppInputSchema(), AppPipeline()));
  tools->push_back(NewPipelineTool(
      workspaces,
      NewTool("cycle", "Implement a specification on a branch",
              "An agent implements the specification, tests run, auditors review, until all agree. "
              "Then Stile commits exactly what they judged, on the branch. Wants a clean working "
              "tree. Takes minutes, and asks a model.",
              Json::object(), Json::array()),
      CycleInputSchema(), CyclePipeline()));
  tools->push_back(NewTool(
      "plan", "Divide a goal into the steps of a story",
      "An agent that only reads the workspace plans 3 to 6 steps with waves. Gives the story as "
      "YAML; `story` runs it from a file.",
      {{"goal", Text("What is to be reached")},
       {"out", Text("File in the workspace to write the story to")},
       {"replace", {{"type", "boolean"}, {"default", false}}}},
      {"goal"}));
  tools->back().output["properties"]["story"] = {{"type", "string"}};
  tools->back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return RunPlan(workspaces, arguments, call);
  };
}

void AddVerifyTools(McpWorkspaces* workspaces, std::vector<McpTool>* tools) {
  const Json rounds = {{"type", "integer"}, {"minimum", 1}, {"maximum", 100}};
  tools->push_back(NewTool(
      "verify", "Verify code in rounds of verifier and critic",
      "A verifier names defects in the target files and quotes the code that shows them; a critic "
      "judges each one. Ends when two rounds raise nothing, everything was examined, and no "
      "critical or high issue is open. Takes minutes, and asks a model.",
      {{"target",
        {{"type", {"string", "array"}},
         {"items", {{"type", "string"}}},
         {"description", "Files and folders; if left out, the workspace"}}},
       {"exclude",
        {{"type", "array"},
         {"items", {{"type", "string"}}},
         {"description", "Skip files that match a glob in target folders"}}},
       {"requirements", Text("What the code has to do")},
       {"workingDir", Text("Folder that targets are relative to")},
       {"maxRounds", rounds},
       {"minRounds", rounds},
       {"stopOnCritical", {{"type", "boolean"}, {"default", false}}},
       {"maxTokens",
        {{"type", "integer"},
         {"minimum", 1},
         {"maximum", 1'000'000},
         {"description", "Maximum tokens of one reply (4000)"}}},
       {"autoConsolidate", {{"type", "boolean"}, {"default", true}}},
       {"fix",
        {{"type", "boolean"},
         {"default", false},
         {"description", "An agent mends what both agree on, under the gate"}}},
       {"runId", Text("Go on with this session, which has not converged")},
       {"fromRound",
        {{"type", "integer"},
         {"minimum", 1},
         {"maximum", 100},
         {"description", "With runId: go back to the checkpoint before this round"}}}},
      Json::array()));
  tools->back().output = VerificationSchema();
  tools->back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return RunVerify(workspaces, arguments, call);
  };
  tools->push_back(NewTool("verify_status", "State of a verification",
                           "What a session of `verify` has found so far, also while it runs.",
                           {{"runId", Text("The session")}}, {"runId"}));
  McpTool& status = tools->back();
  status.input["properties"].erase("model");
  status.output = VerificationSchema();
  status.read_only = true;
  status.destructive = false;
  status.open_world = false;
  status.takes_long = false;
  status.run = [workspaces](const Json& arguments, const McpCall&) {
    return ShowVerification(workspaces, arguments);
  };
}

}  // namespace

std::vector<McpTool> RunTools(McpWorkspaces* workspaces) {
  std::vector<McpTool> tools;
  tools.push_back(NewTool(
      "run", "Give a task to a coding agent under the gate",
      "A coding agent of Stile works on the task in the workspace. It cannot finish until the code "
      "that it changed has been built. Takes minutes, and asks a model.",
      {{"task", Text("What to do, in full sentences")},
       {"context", Text("Further text for the model: files, earlier results")},
       {"agent",
        {{"type", "string"},
         {"pattern", "^[A-Za-z0-9_-]+$"},
         {"description", "Profile: coding-agent, lead-agent, build-fixer, code-review"}}},
       {"level",
        {{"type", "string"},
         {"enum", {"build", "test"}},
         {"description", "build: the code must build; test: tests must pass, too"}}},
       {"maxTurns", {{"type", "integer"}, {"minimum", 1}, {"maximum", 10'000}}}},
      {"task"}));
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return RunTask(workspaces, arguments, call);
  };
  tools.push_back(NewTool(
      "story", "Run a story",
      "Runs the steps of a story file on a new branch, each under the gate. Commits the result "
      "unless `commit` is false.",
      {{"file", Text("Story file, in the workspace")},
       {"worktree", {{"type", "boolean"}, {"description", "Work in a working tree of its own"}}},
       {"commit", {{"type", "boolean"}, {"default", true}}}},
      {"file"}));
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return RunStory(workspaces, arguments, call);
  };
  tools.push_back(NewTool(
      "workflow", "Run a workflow",
      "Runs a workflow file in the workspace, or one that comes with Stile (builtin:app-loop, "
      "builtin:cycle).",
      {{"file", Text("Workflow file, in the workspace, or builtin:NAME")},
       {"inputs", {{"type", "object"}, {"description", "Inputs of the workflow, by name"}}}},
      {"file"}));
  tools.back().run = [workspaces](const Json& arguments, const McpCall& call) {
    return RunWorkflow(workspaces, arguments, call);
  };
  AddPipelineTools(workspaces, &tools);
  AddVerifyTools(workspaces, &tools);
  return tools;
}

}  // namespace stile
