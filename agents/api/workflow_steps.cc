#include "agents/api/workflow_steps.h"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "agents/api/file_servers.h"
#include "agents/api/mcp_relay.h"
#include "agents/api/step_cache.h"
#include "agents/api/verification_request.h"
#include "agents/api/workflow_delivery.h"
#include "agents/api/workflow_files.h"
#include "agents/api/workflow_needs.h"
#include "agents/api/workflow_text.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/http/http_client.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/snapshot.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {
namespace {

constexpr absl::Duration kCommandTimeout = absl::Minutes(10);
constexpr absl::Duration kHttpTimeout = absl::Minutes(1);
constexpr size_t kMaxHttpBytes = size_t{4} << 20;
constexpr size_t kMaxCommandOutput = size_t{4} << 20;
constexpr size_t kMaxMessageBytes = size_t{4} << 10;
constexpr size_t kMaxCommandBytes = size_t{100} << 10;  // Linux takes 128 KiB in one argument

StepReply Failure(std::string message, Json output = nullptr) {
  StepReply reply;
  reply.ok = false;
  reply.message = std::move(message);
  reply.output = std::move(output);
  return reply;
}

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

absl::Duration TimeoutOf(const WorkflowStep& step, absl::Duration otherwise) {
  return step.timeout_s > 0 ? absl::Seconds(step.timeout_s) : otherwise;
}

// What a model wrote around the JSON it was asked for: a fence, and words outside of it.
absl::string_view WithoutFence(absl::string_view answer) {
  answer = absl::StripAsciiWhitespace(answer);
  const size_t open = answer.find("```");
  if (open == absl::string_view::npos) return answer;
  const size_t begin = answer.find('\n', open);
  const size_t end = begin == absl::string_view::npos ? begin : answer.find("```", begin);
  if (end == absl::string_view::npos) return answer;
  // Of several blocks it is not known which one is meant.
  const bool is_only = answer.find("```", end + 3) == absl::string_view::npos;
  return is_only ? answer.substr(begin + 1, end - begin - 1) : answer;
}

// `stile` in a command is this program, with a state folder that it can write.
void UseThisProgram(bool sandboxed, ProcessRequest* request) {
  const auto program = ReadLink("/proc/self/exe");
  if (!program.ok()) return;
  if (request->argv[0] == "stile") request->argv[0] = *program;
  if (!FindExecutable("stile", request->env).ok()) {
    std::string& path = request->env["PATH"];
    path = absl::StrCat(path, path.empty() ? "" : ":", DirName(*program));
  }
  if (!sandboxed) return;
  for (const char* name : {"STILE_STATE_DIR", "XDG_STATE_HOME"}) request->env.erase(name);
}

McpScope McpScopeOf(const StepCall& call) {
  return ParseMcpScope(TextOf(call.settings.value("mcp", Json(""))));
}

// `stile` in a command is this program, whatever the PATH has: a link to it is made in `folder`.
void PutThisProgramFirst(const std::string& folder, ProcessRequest* request) {
  const auto program = ReadLink("/proc/self/exe");
  if (!program.ok() || !absl::StartsWith(BaseName(*program), "stile")) return;
  const std::string link = JoinPath(folder, "stile");
  if (symlink(program->c_str(), link.c_str()) != 0 && errno != EEXIST) return;
  std::string& path = request->env["PATH"];
  path = absl::StrCat(folder, path.empty() ? "" : ":", path);
}

StepReply JudgeTests(const StepCall& call) {
  bool ready = !call.input.empty();
  bool ran = false;
  int failures = call.input.empty() ? -1 : 0;
  for (const Json& output : call.input) {
    const TestSummary summary = SummarizeTests(output);
    ready = ready && summary.ready();
    ran = ran || summary.found;
    // Whoever was cut short has not counted what failed.
    const bool uncounted = !summary.complete && summary.failures() == 0;
    if (summary.failures() < 0 || failures < 0 || uncounted) {
      failures = -1;
    } else {
      failures += summary.failures();
    }
  }
  StepReply reply;
  reply.output = {{"ready", ready}, {"failures", failures}, {"ran", ran}};
  return reply;
}

absl::StatusOr<StepReply> Fetch(const StepCall& call, const Cancellation* cancellation) {
  HttpRequest request;
  request.url = TextOf(call.settings.value("url", Json("")));
  request.method = absl::AsciiStrToUpper(TextOf(call.settings.value("method", Json("GET"))));
  request.timeout = TimeoutOf(*call.step, kHttpTimeout);
  request.max_response_bytes = kMaxHttpBytes;
  request.cancellation = cancellation;
  if (call.settings.contains("body")) request.body = TextOf(call.settings["body"]);
  if (call.settings.contains("headers") && call.settings["headers"].is_object()) {
    for (const auto& [name, value] : call.settings["headers"].items()) {
      request.headers[name] = TextOf(value);
    }
  }
  const auto response = NewCurlHttpClient()->Run(request);
  if (absl::IsCancelled(response.status())) return response.status();
  if (!response.ok()) return Failure(std::string(response.status().message()));
  Json body = ToUtf8(response->body);
  const auto type = response->headers.find("content-type");
  if (type != response->headers.end() && absl::StrContains(type->second, "json")) {
    auto parsed = ParseJson(ToUtf8(response->body));
    if (parsed.ok()) body = *std::move(parsed);
  }
  StepReply reply;
  reply.output = {{"status", response->status}, {"body", std::move(body)}};
  if (response->status >= 200 && response->status < 400) return reply;
  return Failure(absl::StrCat("HTTP status ", response->status), std::move(reply.output));
}

}  // namespace

absl::StatusOr<RunSandbox*> WorkflowSteps::Sandbox() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sandbox_ != nullptr) return sandbox_.get();
  STILE_ASSIGN_OR_RETURN(sandbox_, OpenCommandSandbox(*services_.context, services_.workspace));
  STILE_ASSIGN_OR_RETURN(const std::string folder,
                         services_.context->store->WorkspaceDir(services_.workspace));
  homes_ = std::make_unique<ScratchFolder>(JoinPath(folder, "sandbox"));
  if (is_test_) artifacts_ = homes_->Sub("artifacts");
  if (is_test_) logs_ = homes_->Sub("logs");
  return sandbox_.get();
}

absl::StatusOr<StepReply> WorkflowSteps::Execute(const StepCall& call,
                                                 const Cancellation* cancellation) {
  switch (call.step->type) {
    case StepType::kAgent:
      return RunAgent(call);
    case StepType::kCommand:
      return RunOrRecall(call, cancellation);
    case StepType::kGate:
      return JudgeTests(call);
    case StepType::kTool:
      return Recorded(call, absl::StrCat("tool ", JsonString(call.settings, "tool").value_or("")),
                      [&] { return UseTool(call); });
    case StepType::kResource:
      return mcp_.ReadResource(call);
    case StepType::kHttp:
      return Fetch(call, cancellation);
    case StepType::kHuman:
      return Ask(call);
    case StepType::kForeign:
      return Failure(absl::StrCat("Stile cannot run steps of type ",
                                  JsonString(call.settings, "kind").value_or("")));
    case StepType::kVerify:
      return Verify(call);
    case StepType::kScript:
    case StepType::kMemory:
    case StepType::kLog:
    case StepType::kWorkflow:
    case StepType::kNoop:
      break;
  }
  return absl::InternalError(
      absl::StrCat("nobody does steps of type ", StepTypeName(call.step->type)));
}

absl::StatusOr<Workflow> WorkflowSteps::LoadWorkflow(const std::string& file) {
  const std::string path = WorkflowBeside(folder_, file);
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadWorkflowText(path));
  STILE_ASSIGN_OR_RETURN(const std::vector<McpServerSettings> servers, ServersIn(text, path));
  if (!servers.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(servers.front().source,
                     ": mcp_servers counts only in the file that is run; "
                     "name the server there"));
  }
  STILE_ASSIGN_OR_RETURN(Workflow workflow, ReadWorkflow(path));
  STILE_RETURN_IF_ERROR(CheckNeeds(services_, workflow));
  return workflow;
}

AgentTask WorkflowSteps::TaskFor(const StepCall& call) const {
  AgentTask task;
  task.workspace = services_.workspace;
  task.model = JsonString(call.settings, "model").value_or(services_.model);
  task.base_url = services_.base_url;
  task.cassette_step = call.step->name;
  // Another cassette than the one that the run began with begins at its start.
  const std::string& model = services_.context->options->config.model;
  if (model.empty() || services_.model.empty() || model == services_.model) {
    task.turns_before = {call.turns_before, call.step_turns_before};
  }
  return task;
}

EventSink WorkflowSteps::SinkFor(const StepCall& call) const {
  return [this, step = call.step->name](const Event& event) {
    if (event.type == EventType::kRunStarted || event.type == EventType::kRunFinished) return;
    if (events_ == nullptr) return;
    Json data = event.data;
    data["step"] = step;
    events_->Emit(event.type, std::move(data));
  };
}

absl::StatusOr<StepReply> WorkflowSteps::RunAgent(const StepCall& call) {
  AgentTask task = TaskFor(call);
  task.text = call.settings.contains("prompt")
                  ? TextOf(call.settings["prompt"])
                  : absl::StrCat("Do the step ", call.step->name, ". The steps before it gave:\n",
                                 DumpJson(call.input, 2));
  task.agent = JsonString(call.settings, "agent").value_or("");
  if (call.settings.contains("max_turns") &&
      !absl::SimpleAtoi(TextOf(call.settings["max_turns"]), &task.max_turns)) {
    return Failure("max_turns is no number");
  }
  task.go_on = go_on_.count(call.number) > 0;
  auto result = services_.run_agent(absl::StrCat(run_id_, ".", call.number), task, SinkFor(call));
  if (!result.ok()) {
    if (absl::IsCancelled(result.status())) return result.status();
    return Failure(std::string(result.status().message()));
  }
  if (result->reason == StopReason::kCancelled) return absl::CancelledError(result->message);
  if (result->is_final) return absl::UnauthenticatedError(result->message);
  StepReply reply;
  reply.ok = result->ok();
  reply.message =
      result->ok() ? "" : absl::StrCat(StopReasonName(result->reason), ": ", result->message);
  reply.usage = result->usage;
  reply.turns = result->turns;
  reply.changed = result->changed;
  const absl::string_view answer =
      WantsJson(*call.step) ? WithoutFence(result->answer) : absl::string_view(result->answer);
  const absl::Status fits = SetOutput(*call.step, answer, &reply);
  if (!fits.ok() && reply.ok) {
    reply.ok = false;
    reply.message = std::string(fits.message());
  }
  return reply;
}

absl::StatusOr<StepReply> WorkflowSteps::Verify(const StepCall& call) {
  const auto request = VerificationRequestFromJson(call.settings);
  if (!request.ok()) return Failure(std::string(request.status().message()));
  const auto outcome = services_.verify(absl::StrCat(run_id_, ".", call.number), *request,
                                        TaskFor(call), SinkFor(call));
  if (!outcome.ok()) {
    if (absl::IsCancelled(outcome.status())) return outcome.status();
    return Failure(std::string(outcome.status().message()));
  }
  const RunResult& overall = outcome->overall;
  if (overall.reason == StopReason::kCancelled) return absl::CancelledError(overall.message);
  if (overall.is_final) return absl::UnauthenticatedError(overall.message);
  StepReply reply;
  reply.ok = overall.ok();
  reply.message = overall.ok() ? "" : overall.message;
  reply.output = VerificationReport(outcome->state);
  reply.usage = overall.usage;
  reply.turns = overall.turns;
  reply.changed = overall.changed;
  return reply;
}

absl::StatusOr<std::string> WorkflowSteps::FolderOf(const std::string& folder,
                                                    const StepCall& call) {
  const size_t dot = call.number.rfind('.');
  std::string own = dot == std::string::npos
                        ? folder
                        : JoinPath(folder, absl::StrCat("workflow-", call.number.substr(0, dot)));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(own));
  return own;
}

absl::StatusOr<std::string> WorkflowSteps::ArtifactsOf(const StepCall& call) {
  return FolderOf(artifacts_, call);
}

absl::StatusOr<std::unique_ptr<StepLog>> WorkflowSteps::LogOf(const StepCall& call) {
  if (!call.settings.contains("log")) return nullptr;
  STILE_RETURN_IF_ERROR(Sandbox().status());
  STILE_ASSIGN_OR_RETURN(const std::string folder, FolderOf(logs_, call));
  STILE_ASSIGN_OR_RETURN(StepLog log, StepLog::Open(folder, TextOf(call.settings["log"])));
  return std::make_unique<StepLog>(std::move(log));
}

void WorkflowSteps::EndLog(const StepCall& call, const StepLog& log) {
  if (!log.problem().empty()) Warn(call, absl::StrCat("its log is not whole: ", log.problem()));
}

Environment WorkflowSteps::EnvironmentOf(const StepCall& call) const {
  Environment environment = EnvironmentForCommands(services_.context->options->environment);
  if (call.step->cache.ttl_s > 0) environment = WithoutSession(std::move(environment));
  for (const auto& [name, value] : call.env) environment[name] = value;
  return environment;
}

absl::StatusOr<std::string> WorkflowSteps::CacheKey(const StepCall& call) {
  ProcessRunner* const runner = services_.context->runner;
  STILE_ASSIGN_OR_RETURN(const std::string memory_dir,
                         services_.context->store->WorkspaceDir(services_.workspace));
  const WorkspaceMemory memory =
      LoadWorkspaceMemory(services_.context->file_system, WorkspaceMemoryFile(memory_dir));
  STILE_ASSIGN_OR_RETURN(IgnoreRules rules, InspectIgnoreRules(runner, services_.workspace,
                                                               {{}, memory.source_folders}));
  SnapshotTaker taker(services_.workspace, std::move(rules), services_.context->clock);
  STILE_ASSIGN_OR_RETURN(const Snapshot content, taker.Take(Snapshot()));
  const Environment environment = EnvironmentOf(call);
  std::vector<std::string> texts;
  const Json exec = call.settings.value("exec", Json::array());
  for (const Json& word : exec.is_array() ? exec : Json({exec})) texts.push_back(TextOf(word));
  for (const auto& [name, value] : call.env) texts.push_back(value);
  Json servers = Json::array();
  if (!McpScopeOf(call).empty()) {
    for (const McpServerSettings& server : services_.context->options->config.mcp_servers) {
      texts.insert(texts.end(), server.command.begin(), server.command.end());
      servers.push_back({server.name, server.command, server.env, server.cwd, server.network,
                         server.url, server.headers, server.tools});
    }
  }
  return Sha256Hex(DumpJson({FingerprintOf(services_.workspace, content, texts, environment),
                             call.step->name, call.settings, environment, servers}));
}

absl::StatusOr<StepReply> WorkflowSteps::RunOrRecall(const StepCall& call,
                                                     const Cancellation* cancellation) {
  const WorkflowStep::Cache& wanted = call.step->cache;
  if (wanted.ttl_s == 0) return RunCommand(call, cancellation);
  STILE_RETURN_IF_ERROR(Sandbox().status());
  STILE_ASSIGN_OR_RETURN(const std::string folder,
                         services_.context->store->WorkspaceDir(services_.workspace));
  StepCache cache(JoinPath(folder, "step-cache"), services_.context->clock);
  STILE_ASSIGN_OR_RETURN(const std::string artifacts, ArtifactsOf(call));
  const auto log = [&](const char* level, absl::string_view text) {
    if (events_ == nullptr) return;
    events_->Emit(
        LogEvent{.level = level, .text = absl::StrCat(call.step->name, ": ", ToUtf8(text))});
  };
  const auto key = CacheKey(call);
  if (!key.ok()) {
    log("warning", absl::StrCat("nothing is used again: ", key.status().message()));
    return RunCommand(call, cancellation);
  }
  if (auto reply = cache.Find(*key, artifacts)) {
    log("info", "the same command on the same files ran before; its result is used again");
    return *std::move(reply);
  }
  STILE_ASSIGN_OR_RETURN(StepReply reply, RunCommand(call, cancellation));
  if (!reply.ok) return reply;
  // One that changed the workspace did more than it replied.
  const auto key_after = CacheKey(call);
  if (!key_after.ok() || *key_after != *key) return reply;
  const absl::Status kept =
      cache.Keep(*key, absl::Seconds(wanted.ttl_s), reply.output, artifacts, wanted.paths);
  if (!kept.ok()) log("warning", absl::StrCat("not kept for later: ", kept.message()));
  return reply;
}

absl::StatusOr<StepReply> WorkflowSteps::RunCommand(const StepCall& call,
                                                    const Cancellation* cancellation) {
  if (!call.settings.contains("exec")) return StepReply();
  const Json& exec = call.settings["exec"];
  ProcessRequest request;
  if (exec.is_array()) {
    for (const Json& word : exec) request.argv.push_back(TextOf(word));
  } else {
    request.argv = {"sh", "-c", TextOf(exec)};
  }
  if (request.argv.empty()) return Failure("exec is an empty list");
  for (const std::string& word : request.argv) {
    if (word.size() > kMaxCommandBytes) {
      return Failure(absl::StrCat("exec has a word of ", word.size(), " bytes; at most ",
                                  kMaxCommandBytes, " may be: give it by `stdin`"));
    }
  }
  const auto folder =
      ResolveInWorkspace(services_.workspace, TextOf(call.settings.value("cwd", Json("."))));
  if (!folder.ok()) return Failure(absl::StrCat("cwd: ", folder.status().message()));
  request.cwd = folder->absolute;
  request.env = EnvironmentOf(call);
  if (call.settings.contains("stdin")) request.stdin_text = TextOf(call.settings["stdin"]);
  request.timeout = TimeoutOf(*call.step, kCommandTimeout);
  request.max_output_bytes = kMaxCommandOutput;
  request.cancellation = cancellation;
  STILE_ASSIGN_OR_RETURN(RunSandbox* const sandbox, Sandbox());
  UseThisProgram(sandbox->active(), &request);
  STILE_ASSIGN_OR_RETURN(const std::string artifacts, ArtifactsOf(call));
  request.env["STILE_ARTIFACTS"] = artifacts;
  request.env["STILE_RUN_ID"] = run_id_;
  request.writable.push_back(artifacts);
  request.home = homes_->Sub(absl::StrCat("home-", call.number).c_str());
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(request.home));
  return Recorded(call, absl::StrJoin(request.argv, " "),
                  [&] { return RunProcess(call, sandbox, request); });
}

absl::StatusOr<ProcessRunner*> WorkflowSteps::RunnerFor(const StepCall& call, RunSandbox* sandbox,
                                                        ProcessRequest* request) const {
  const std::string wanted = TextOf(call.settings.value("network", Json("")));
  if (wanted.empty()) return sandbox->commands();
  if (wanted == "none") return sandbox->isolated();
  if (wanted != "packages" && wanted != "cached") {
    return absl::InvalidArgumentError(
        absl::StrCat("network: '", ToUtf8(wanted), "'; it wants none, packages or cached"));
  }
  if (!may_fetch_packages_) {
    return absl::InvalidArgumentError(
        absl::StrCat("network: ", wanted, " is for workflows that come with Stile; `sandbox: ",
                     "{network: true}` in your settings lets commands reach the network"));
  }
  request->network = wanted == "packages";
  // One home for all of them: a build finds there what an install has put, after a kill as well.
  request->home = JoinPath(request->env["STILE_ARTIFACTS"], "home");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(request->home));
  return sandbox->packages();
}

absl::StatusOr<StepReply> WorkflowSteps::RunProcess(const StepCall& call, RunSandbox* sandbox,
                                                    ProcessRequest request) {
  const auto log = LogOf(call);
  if (!log.ok()) return Failure(std::string(log.status().message()));
  if (*log != nullptr) {
    request.on_output = [&log](OutputStream, absl::string_view piece) { (*log)->Append(piece); };
  }
  // Ends before the changes of the step are recorded: a server may write files.
  std::unique_ptr<McpRelay> relay;
  if (McpScope scope = McpScopeOf(call); !scope.empty()) {
    const std::string folder = homes_->Sub(absl::StrCat("mcp-", call.number).c_str());
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
    STILE_ASSIGN_OR_RETURN(relay, McpRelay::Open(services_.context, services_.workspace, sandbox,
                                                 std::move(scope), folder));
    request.writable.push_back(folder);
    PutThisProgramFirst(folder, &request);
    request.env[kMcpSocketVariable] = relay->socket();
  }
  const auto runner = RunnerFor(call, sandbox, &request);
  if (!runner.ok()) return Failure(std::string(runner.status().message()));
  const auto result = (*runner)->Run(request);
  if (*log != nullptr) EndLog(call, **log);
  if (!result.ok()) {
    if (absl::IsResourceExhausted(result.status())) return result.status();
    return Failure(std::string(result.status().message()));
  }
  if (result->end == ProcessResult::End::kCancelled) return absl::CancelledError("cancelled");
  StepReply reply;
  std::string out = result->out;
  if (result->out_bytes > out.size() && !WantsJson(*call.step)) {
    out.insert(out.size() / 2,
               absl::StrCat("\n[… of ", result->out_bytes, " bytes the middle is left out …]\n"));
  }
  absl::Status fits = SetOutput(*call.step, out, &reply);
  if (fits.ok() && result->out_bytes > result->out.size() && WantsJson(*call.step)) {
    fits = absl::ResourceExhaustedError(
        absl::StrCat("its output has ", result->out_bytes, " bytes, which is too much"));
  }
  reply.ok = result->ok() && fits.ok();
  if (reply.ok) return reply;
  const absl::string_view words =
      absl::StripAsciiWhitespace(result->err.empty() ? result->out : result->err);
  const std::string what = result->ok() ? std::string(fits.message()) : result->Description();
  reply.message = absl::StrCat(what, words.empty() ? "" : "\n",
                               ToUtf8(TruncateMiddle(words, kMaxMessageBytes)));
  return reply;
}

void WorkflowSteps::Warn(const StepCall& call, absl::string_view text) {
  if (events_ == nullptr) return;
  events_->Emit(Warning(absl::StrCat(call.step->name, ": ", ToUtf8(text))));
}

ProgramWrapper WorkflowSteps::Programs() {
  return [this](const Repository& repository) -> absl::StatusOr<std::vector<std::string>> {
    STILE_ASSIGN_OR_RETURN(RunSandbox* const sandbox, Sandbox());
    return sandbox->ProgramWrapper(repository.git_dir(), repository.common_dir());
  };
}

absl::StatusOr<StepReply> WorkflowSteps::Recorded(
    const StepCall& call, const std::string& task,
    const std::function<absl::StatusOr<StepReply>()>& perform) {
  if (is_test_) return perform();
  CommandGround ground;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ground = ground_;
  }
  constexpr char kUnknown[] = "what it changes is not recorded, so undo will not take it back: ";
  auto run = CommandRun::Begin(*services_.context, services_.workspace,
                               absl::StrCat(run_id_, ".", call.number), task, std::move(ground),
                               Programs());
  if (!run.ok()) {
    Warn(call, absl::StrCat(kUnknown, run.status().message()));
    return perform();
  }
  absl::StatusOr<StepReply> reply = perform();
  const std::string problem = !reply.ok()  ? std::string(reply.status().message())
                              : !reply->ok ? reply->message
                                           : "";
  absl::StatusOr<std::vector<std::string>> changed =
      (*run)->End(reply.ok() && reply->ok ? "" : absl::StrCat("failed: ", problem));
  if (!changed.ok()) {
    Warn(call, absl::StrCat(kUnknown, changed.status().message()));
    return reply;
  }
  if (reply.ok()) reply->changed = *std::move(changed);
  const std::lock_guard<std::mutex> lock(mutex_);
  ground_ = (*run)->ground();
  return reply;
}

absl::StatusOr<StepReply> WorkflowSteps::UseTool(const StepCall& call) {
  const std::string name = JsonString(call.settings, "tool").value_or("");
  const Json arguments = call.settings.value("arguments", Json::object());
  const auto failure = [](const absl::Status& status) -> absl::StatusOr<StepReply> {
    if (absl::IsCancelled(status) || absl::IsInternal(status)) return status;
    return Failure(std::string(status.message()));
  };
  if (WorkflowDelivery::IsTool(name)) {
    WorkflowDelivery delivery(services_.context, services_.workspace, run_id_, Programs());
    absl::StatusOr<StepReply> reply = delivery.Use(name, arguments);
    return reply.ok() ? reply : failure(reply.status());
  }
  if (mcp_.HasTool(name)) {
    absl::StatusOr<StepReply> reply = mcp_.UseTool(call);
    return reply.ok() ? reply : failure(reply.status());
  }
  const auto log = LogOf(call);
  if (!log.ok()) return failure(log.status());
  ValidationLog sink;
  if (*log != nullptr) sink = [&log](absl::string_view piece) { (*log)->Append(piece); };
  const auto result = services_.use_tool(name, arguments, sink);
  if (!result.ok()) return failure(result.status());
  StepReply reply;
  // To a model wrong code is a result; to a workflow it is a step that failed, as for commands.
  reply.ok = result->ok && JsonBool(result->data, "success").value_or(true);
  reply.output = result->data.is_null() ? Json(ToUtf8(result->text)) : result->data;
  if (!reply.ok) reply.message = ToUtf8(TruncateMiddle(result->text, kMaxMessageBytes));
  if (*log == nullptr) return reply;
  if ((*log)->empty()) (*log)->Append(result->text);
  EndLog(call, **log);
  if (reply.output.is_object()) reply.output["log"] = (*log)->Text();
  return reply;
}

absl::StatusOr<StepReply> WorkflowSteps::Ask(const StepCall& call) {
  const auto& ask = services_.context->options->on_question;
  if (!ask) {
    return Failure(
        absl::StrCat("this step asks a person: `stile runs resume ", run_id_,
                     "` in a terminal asks and goes on; with `--answers FILE` it reads answers"));
  }
  const auto answer = ask(TextOf(call.settings.value("question", Json(""))));
  if (!answer.has_value()) {
    return Failure(absl::StrCat("there was no answer: `stile runs resume ", run_id_,
                                "` asks again and goes on"));
  }
  StepReply reply;
  reply.output = ToUtf8(*answer);
  return reply;
}

}  // namespace stile
