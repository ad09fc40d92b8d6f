#include "agents/api/tool_session.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/status.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/permissions.h"
#include "runtime/tool/tool_registry.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/builtin_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxWholeFileBytes = size_t{256} << 10;

class NoValidation : public ValidationService {
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments&) override {
    return absl::FailedPreconditionError("no run is under way");
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    return absl::FailedPreconditionError("no run is under way");
  }
};

// For steps of workflows, which remember no earlier validation.
class WholeWorkspace : public ValidationService {
 public:
  explicit WholeWorkspace(ValidationService* gate) : gate_(gate) {}
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) override {
    ValidateArguments all = arguments;
    all.everything = true;
    all.must_judge = true;
    return gate_->Validate(all);
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>& paths) override {
    return gate_->Probe(paths);
  }

 private:
  ValidationService* const gate_;
};

// What a person should know besides the answer.
void AddNote(const std::string& note, ToolResult* result) {
  if (note.empty()) return;
  result->text = absl::StrCat("[", note, "]\n", result->text);
  if (result->data.is_object()) result->data["note"] = note;
}

}  // namespace

ToolContext ToolSession::NewContext() const {
  ToolContext context;
  context.workspace = workspace_;
  context.journal_dir = context_.store->edits_dir();
  context.file_system = context_.file_system;
  context.runner = context_.runner;
  context.clock = context_.clock;
  context.cancellation = options_.cancellation;
  return context;
}

absl::StatusOr<ToolResult> ToolSession::Ask(const std::string& name, const Json& arguments) {
  ToolContext context = NewContext();
  if (IsCodeWriter(name)) return RunWithGate(name, arguments, std::move(context), nullptr);
  const auto restored = RecoverTransactions(context.file_system, context.clock, context.journal_dir,
                                            context.workspace);
  // While another process tries a change out, looking at the code is possible all the same.
  const bool is_busy = absl::IsUnavailable(restored.status());
  if (!restored.ok() && !is_busy) return restored.status();
  absl::Status walked;
  std::optional<std::vector<std::string>> files;  // the tool only reads: one walk is enough
  const auto list_files = [&](const auto& use) {
    if (!files.has_value()) {
      files.emplace();
      const auto add = [&](const WalkEntry& entry) {
        if (entry.kind == WalkEntry::Kind::kFile) files->push_back(entry.path);
        return true;
      };
      walked = WalkFiles(context, {".", workspace_}, /*recursive=*/true, add).status();
    }
    for (const std::string& file : *files) use(file);
  };
  CodeIndex index(workspace_, context_.languages, list_files, {IndexFolder(), context_.clock});
  std::unique_ptr<RunSandbox> sandbox;
  const auto open_runner = [&]() -> absl::StatusOr<ProcessRunner*> {
    if (sandbox == nullptr) {
      STILE_ASSIGN_OR_RETURN(sandbox, OpenSandbox(context_, workspace_, std::nullopt, ""));
    }
    // Servers run what a repository configures, and somebody only wants to look at it.
    const bool is_chosen = options_.config.sandbox.mode == SandboxSettings::Mode::kOff;
    if (!is_chosen && !sandbox->active()) {
      return absl::UnavailableError(absl::StrCat(
          "language servers run in a sandbox only, and there is ", sandbox->description()));
    }
    return sandbox->resolvers();
  };
  ResolverPool resolvers(
      ResolversOf(context_, workspace_, open_runner, list_files, options_.cancellation));
  NoValidation none;
  const ToolRegistry registry(NewBuiltinTools(&none, context_.languages, &index,
                                              options_.config.resolvers ? &resolvers : nullptr,
                                              &BundledPatterns()));
  STILE_ASSIGN_OR_RETURN(PreparedCall call, registry.Prepare(name, arguments));
  const ToolSpec& spec = call.tool->spec();
  if (!absl::StartsWith(spec.name, "code.") || spec.name == "code.validate") {
    return absl::InvalidArgumentError(absl::StrCat(spec.name, " is not about code alone"));
  }
  ToolResult result = call.tool->Run(call.arguments, context);
  STILE_RETURN_IF_ERROR(walked);
  STILE_RETURN_IF_ERROR(result.fatal);
  AddNote(is_busy ? "Another process is changing this code just now: what it tries out was read."
                  : RestoredText(*restored),
          &result);
  return result;
}

std::string ToolSession::IndexFolder() {
  const absl::StatusOr<std::string> folder = context_.store->WorkspaceDir(workspace_);
  return folder.ok() ? JoinPath(*folder, "index") : "";
}

bool ToolSession::IsCodeWriter(const std::string& name) {
  for (const ToolSpec& spec : Specs()) {
    if (spec.name == name) return absl::StartsWith(name, "code.") && !spec.read_only;
  }
  return false;
}

absl::StatusOr<ToolResult> ToolSession::Use(const std::string& name, const Json& arguments,
                                            const ValidationLog& log) {
  ToolContext context = NewContext();
  context.environment = EnvironmentForCommands(options_.environment);
  context.max_whole_file_bytes = kMaxWholeFileBytes;
  return RunWithGate(name, arguments, std::move(context), &log);
}

absl::Status ToolSession::CheckAllowed(const std::string& name, const Json& arguments) {
  NoValidation none;
  CodeIndex index(workspace_, context_.languages, [](const auto&) {});
  const ToolRegistry registry(
      NewBuiltinTools(&none, context_.languages, &index, nullptr, &BundledPatterns()));
  STILE_ASSIGN_OR_RETURN(const PreparedCall call, registry.Prepare(name, arguments));
  return CheckPermission(*call.tool, call.arguments, NewContext());
}

absl::StatusOr<ToolResult> ToolSession::RunWithGate(const std::string& name, const Json& arguments,
                                                    ToolContext context,
                                                    const ValidationLog* step_log) {
  // One at a time in a workspace: what another one tries out would look like the code.
  STILE_ASSIGN_OR_RETURN(const std::string folder, context_.store->WorkspaceDir(workspace_));
  STILE_ASSIGN_OR_RETURN(const FileLock lock, WaitFor(JoinPath(folder, "code.lock")));
  GateSettings settings = options_.config.gate;
  settings.baseline = GateSettings::Baseline::kStrict;
  SessionContext logged = context_;
  if (step_log != nullptr) logged.validation_log = *step_log;
  GatedWorkspaceOptions gated;
  gated.workspace = workspace_;
  gated.settings = std::move(settings);
  gated.cancellation = options_.cancellation;
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> session,
                         GatedWorkspace::Open(logged, std::move(gated)));
  WholeWorkspace whole(session->gate());
  const auto list_files = [&session](const auto& use) {
    for (const FileRecord& file : session->gate()->current().files()) {
      if (file.kind == FileRecord::Kind::kRegular) use(file.path);
    }
  };
  CodeIndex index(workspace_, context_.languages, list_files, {IndexFolder(), context_.clock});
  ResolverPool resolvers(ResolversOf(
      context_, workspace_, [&session] { return session->sandbox()->resolvers(); }, list_files,
      options_.cancellation));
  const bool is_step = step_log != nullptr;
  ValidationService* const service =
      is_step ? static_cast<ValidationService*>(&whole) : session->gate();
  const ToolRegistry registry(NewBuiltinTools(service, context_.languages, &index,
                                              options_.config.resolvers ? &resolvers : nullptr,
                                              &BundledPatterns()));
  STILE_ASSIGN_OR_RETURN(PreparedCall call, registry.Prepare(name, arguments));
  context.command_runner = session->sandbox()->commands();
  context.wrap_programs = [&](const Repository& repository) {
    return session->WrapPrograms(repository);
  };
  context.sandboxed = [&] { return session->sandbox()->active(); };
  if (is_step) STILE_RETURN_IF_ERROR(CheckPermission(*call.tool, call.arguments, context));
  ToolResult result = call.tool->Run(call.arguments, context);
  STILE_RETURN_IF_ERROR(result.fatal);
  AddNote(RestoredText(session->restored()), &result);
  return result;
}

absl::Status ToolSession::CheckPermission(const Tool& tool, const Json& arguments,
                                          const ToolContext& context) {
  const bool sandboxed = context.sandboxed && context.sandboxed();
  const Permission permission = DecidePermission(options_.config.permissions, tool.spec(),
                                                 arguments, sandboxed, context.workspace);
  if (permission != Permission::kDeny) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(tool.spec().name, " is forbidden by the permissions"));
}

absl::StatusOr<FileLock> ToolSession::WaitFor(const std::string& path) {
  const absl::Duration end = context_.clock->Monotonic() + absl::Minutes(10);
  for (;;) {
    FileLock lock(path, FileLock::Wait::kNo);
    if (lock.held()) return lock;
    if (context_.clock->Monotonic() > end) {
      return absl::UnavailableError(
          "another `stile refactor` or `stile generate` has been changing code in this workspace "
          "for "
          "ten minutes; try again when it has ended");
    }
    if (options_.cancellation != nullptr && options_.cancellation->cancelled()) {
      return absl::CancelledError(
          "cancelled while another process was changing code in this workspace");
    }
    context_.clock->Sleep(absl::Milliseconds(50), options_.cancellation);
  }
}

absl::StatusOr<std::vector<std::string>> ToolSession::ListFiles() const {
  std::vector<std::string> files;
  STILE_RETURN_IF_ERROR(
      WalkFiles(NewContext(), {".", workspace_}, /*recursive=*/true, [&](const WalkEntry& entry) {
        if (entry.kind == WalkEntry::Kind::kFile) {
          files.push_back(entry.path);
        }
        return true;
      }).status());
  return files;
}

std::vector<ToolSpec> ToolSession::Specs() {
  NoValidation none;
  std::vector<ToolSpec> specs;
  CodeIndex index(workspace_, context_.languages, [](const auto&) {});
  for (const auto& tool :
       NewBuiltinTools(&none, context_.languages, &index, nullptr, &BundledPatterns())) {
    specs.push_back(tool->spec());
  }
  const ToolDefinition finish = FinishDefinition();
  specs.push_back({finish.name, finish.description, finish.parameters});
  return specs;
}

}  // namespace stile
