#include "agents/api/session_context.h"

#include <utility>

#include "agents/api/trust.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

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
