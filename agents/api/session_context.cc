#include "agents/api/session_context.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/trust.h"
#include "agents/api/user_folders.h"
#include "runtime/base/status.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/tool/consent.h"
#include "runtime/tool/permissions.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kSettingsFile[] = "stile.yaml";

// Whether the rules let tools write the file without asking.
bool MayWrite(const SessionContext& context, const std::string& workspace, const char* path) {
  ToolSpec spec;
  spec.name = "file.write";
  spec.permission_argument = "path";
  const Consent consent = {context.options->config.permissions, context.options->config.yes,
                           nullptr, workspace, context.options->outer_permissions};
  return consent.CheckCall(spec, {{"path", path}}, nullptr).ok();
}

}  // namespace

absl::StatusOr<std::string> CompleteOptions(AgentOptions* options) {
  if (options->environment.empty()) options->environment = InheritedEnvironment();
  if (options->state_dir.empty()) {
    STILE_ASSIGN_OR_RETURN(options->state_dir, StateDir(options->environment));
  }
  STILE_ASSIGN_OR_RETURN(std::string workspace, RealPath(options->workspace));
  if (!DirectoryExists(workspace)) {
    return absl::InvalidArgumentError(
        absl::StrCat("workspace ", options->workspace, " is not a folder"));
  }
  if (IsWithin(options->state_dir, workspace)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the state folder ", options->state_dir, " lies inside the workspace ", workspace,
        ", where agents can write; set STILE_STATE_DIR to a place outside"));
  }
  STILE_RETURN_IF_ERROR(CheckPermissionRules(options->config.permissions));
  return workspace;
}

SessionContext NewSessionContext(const AgentOptions* options) {
  SessionContext context;
  context.options = options;
  context.environment = options->environment;
  context.sandbox = options->config.sandbox;
  context.config_dir = DirName(UserConfigFile(options->environment));
  context.secret_files = {options->config.certificate_key};
  context.cancellation = options->cancellation;
  return context;
}

absl::StatusOr<std::unique_ptr<RunSandbox>> OpenCommandSandbox(const SessionContext& context,
                                                               const std::string& workspace) {
  const auto opened = Repository::Open(context.runner, workspace);
  std::optional<Repository> repository;
  if (opened.ok()) repository = *opened;
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<RunSandbox> sandbox,
                         OpenSandbox(context, workspace, repository, ""));
  std::vector<std::string> read_only;
  if (repository.has_value()) read_only.push_back(JoinPath(repository->root(), ".git"));
  if (const std::string file = JoinPath(workspace, kSettingsFile);
      FileExists(file) && !MayWrite(context, workspace, kSettingsFile)) {
    read_only.push_back(file);
  }
  sandbox->Protect(read_only);
  return sandbox;
}

FileLister FilesOf(Gate* gate) {
  return [gate](const auto& use) {
    for (const FileRecord& file : gate->current().files()) {
      if (file.kind == FileRecord::Kind::kRegular) use(file.path);
    }
  };
}

ResolverPool::Host ResolversOf(const SessionContext& context, const std::string& workspace,
                               std::function<absl::StatusOr<ProcessRunner*>()> open_runner,
                               FileLister list_files, CancellationSource cancellation) {
  ResolverPool::Host host;
  host.workspace = workspace;
  if (const auto folder = WorkspaceDirOf(context, workspace); folder.ok()) {
    host.state_folder = JoinPath(*folder, "resolvers");
  }
  host.languages = context.languages;
  host.open_runner = std::move(open_runner);
  host.environment = EnvironmentForCommands(context.environment);
  host.list_files = std::move(list_files);
  host.cancellation = std::move(cancellation);
  host.clock = context.clock;
  return host;
}

}  // namespace stile
