#include "agents/api/tool_session.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "agents/api/ungated_tools.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/status.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/tool_registry.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/builtin_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxWholeFileBytes = size_t{256} << 10;

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
  absl::StatusOr<ProbeReport> ProbeDeprecated(const std::vector<std::string>& paths) override {
    return gate_->ProbeDeprecated(paths);
  }
  absl::StatusOr<ExampleReport> ProbeExamples(const std::vector<DocExample>& examples) override {
    return gate_->ProbeExamples(examples);
  }

 private:
  ValidationService* const gate_;
};

}  // namespace

absl::StatusOr<ToolResult> ToolSession::Ask(const std::string& name, const Json& arguments) {
  if (IsCodeWriter(name)) return RunWithGate(name, arguments, {});
  UngatedTools tools(&context_, workspace_);
  STILE_ASSIGN_OR_RETURN(const PreparedCall call, tools.registry().Prepare(name, arguments));
  const ToolSpec& spec = call.tool->spec();
  if (!absl::StartsWith(spec.name, "code.") || spec.name == "code.validate") {
    return absl::InvalidArgumentError(absl::StrCat(spec.name, " is not about code alone"));
  }
  return tools.Run(call, NewToolContext(context_, workspace_));
}

bool ToolSession::IsCodeWriter(const std::string& name) {
  for (const ToolSpec& spec : Specs()) {
    if (spec.name == name) return absl::StartsWith(name, "code.") && !spec.read_only;
  }
  return false;
}

Consent ToolSession::ConsentOfStep() const {
  return {options_.config.permissions, /*yes=*/true, nullptr, workspace_,
          options_.outer_permissions};
}

absl::StatusOr<ToolResult> ToolSession::Use(const std::string& name, const Json& arguments,
                                            const ValidationLog& log) {
  const Consent consent = ConsentOfStep();
  return RunWithGate(name, arguments, {&consent, log, kMaxWholeFileBytes});
}

absl::StatusOr<ToolResult> ToolSession::UseFor(const Consent& consent, const std::string& name,
                                               const Json& arguments, const ValidationLog& log) {
  return RunWithGate(name, arguments, {&consent, log, 0});
}

absl::Status ToolSession::CheckAllowed(const std::string& name, const Json& arguments) {
  UngatedTools tools(&context_, workspace_);
  STILE_ASSIGN_OR_RETURN(const PreparedCall call, tools.registry().Prepare(name, arguments));
  return ConsentOfStep().CheckCall(call.tool->spec(), call.arguments, nullptr);
}

absl::Status ToolSession::CheckReadable(const std::string& path) {
  UngatedTools tools(&context_, workspace_);
  STILE_ASSIGN_OR_RETURN(const PreparedCall call,
                         tools.registry().Prepare("file.read", {{"path", path}}));
  Consent consent = ConsentOfStep();
  consent.yes = options_.config.yes;
  return consent.CheckCall(call.tool->spec(), call.arguments, nullptr);
}

absl::StatusOr<ToolResult> ToolSession::RunWithGate(const std::string& name, const Json& arguments,
                                                    const Caller& caller) {
  STILE_ASSIGN_OR_RETURN(const FileLock lock, WaitToWrite());
  GateSettings settings = options_.config.gate;
  settings.baseline = GateSettings::Baseline::kStrict;
  SessionContext logged = context_;
  if (caller.log) logged.validation_log = caller.log;
  GatedWorkspaceOptions gated;
  gated.workspace = workspace_;
  gated.settings = std::move(settings);
  gated.cancellation = context_.cancellation;
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> session,
                         GatedWorkspace::Open(logged, std::move(gated)));
  WholeWorkspace whole(session->gate());
  const FileLister list_files = FilesOf(session->gate());
  CodeIndex index(workspace_, context_.languages, list_files,
                  {IndexFolder(context_, workspace_), context_.clock});
  ResolverPool resolvers(ResolversOf(
      context_, workspace_, [&session] { return session->sandbox()->resolvers(); }, list_files,
      [this] { return context_.cancellation; }));
  ValidationService* const service =
      caller.consent != nullptr ? static_cast<ValidationService*>(&whole) : session->gate();
  const ToolRegistry registry(NewBuiltinTools(service, context_.languages, &index,
                                              options_.config.resolvers ? &resolvers : nullptr,
                                              &BundledPatterns()));
  STILE_ASSIGN_OR_RETURN(PreparedCall call, registry.Prepare(name, arguments));
  ToolContext context = NewToolContext(context_, workspace_);
  context.on_output = caller.log;
  context.command_runner = session->sandbox()->commands();
  context.wrap_programs = [&](const Repository& repository) {
    return session->WrapPrograms(repository);
  };
  context.sandboxed = [&] { return session->sandbox()->active(); };
  std::set<std::string> allowed;
  if (caller.consent != nullptr) {
    context.environment = EnvironmentForCommands(options_.environment);
    context.max_whole_file_bytes = caller.max_whole_file_bytes;
    STILE_RETURN_IF_ERROR(
        caller.consent->CheckCall(call.tool->spec(), call.arguments, context.sandboxed));
    context.may_change = [&](const std::vector<std::string>& paths) {
      return caller.consent->CheckChanges(call.tool->spec(), paths, &allowed);
    };
  }
  ToolResult result = call.tool->Run(call.arguments, context);
  STILE_RETURN_IF_ERROR(result.fatal);
  AddNote(RestoredText(session->restored()), &result);
  return result;
}

absl::StatusOr<FileLock> ToolSession::WaitToWrite() {
  STILE_ASSIGN_OR_RETURN(const std::string folder, context_.store->WorkspaceDir(workspace_));
  absl::StatusOr<FileLock> lock = AwaitFileLock(JoinPath(folder, "code.lock"), absl::Minutes(10),
                                                context_.clock, context_.cancellation);
  if (absl::IsCancelled(lock.status())) {
    return absl::CancelledError(
        "cancelled while another process was changing code in this workspace");
  }
  if (!absl::IsDeadlineExceeded(lock.status())) return lock;
  return absl::UnavailableError(
      "another process has been changing code in this workspace for ten minutes; try again when it "
      "has ended");
}

absl::StatusOr<std::vector<std::string>> ToolSession::ListFiles() const {
  std::vector<std::string> files;
  STILE_RETURN_IF_ERROR(WalkFiles(NewToolContext(context_, workspace_), {".", workspace_},
                                  /*recursive=*/true,
                                  [&](const WalkEntry& entry) {
                                    if (entry.kind == WalkEntry::Kind::kFile) {
                                      files.push_back(entry.path);
                                    }
                                    return true;
                                  })
                            .status());
  return files;
}

std::vector<ToolSpec> ToolSession::Specs() {
  UngatedTools tools(&context_, workspace_);
  std::vector<ToolSpec> specs;
  for (const auto& tool : tools.registry().tools()) specs.push_back(tool->spec());
  const ToolDefinition finish = FinishDefinition();
  ToolSpec& spec = specs.emplace_back();
  spec.name = finish.name;
  spec.description = finish.description;
  spec.parameters = finish.parameters;
  return specs;
}

}  // namespace stile
