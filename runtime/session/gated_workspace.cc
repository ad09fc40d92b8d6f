#include "runtime/session/gated_workspace.h"

#include <set>
#include <utility>

#include "runtime/base/status.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/session/source_folders.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Of the workspace and of repositories inside it, where they have files that are not ignored.
std::vector<std::string> GitDirectories(const Snapshot& files, const std::string& workspace) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  const auto look = [&](const std::string& folder) {
    // A second working tree has a file of that name, which says where git reads its settings.
    std::string path = CleanPath(JoinPath(JoinPath(workspace, folder), ".git"));
    if (seen.insert(folder).second && FileExists(path)) found.push_back(std::move(path));
  };
  look(".");
  for (const FileRecord& file : files.files()) {
    for (std::string folder = DirName(file.path); folder != "." && seen.count(folder) == 0;
         folder = DirName(folder)) {
      look(folder);
    }
  }
  return found;
}

// Of a session that goes on: what stood when it began counts.
void UseBeginning(GatedWorkspaceOptions* options, WorkspaceState* state) {
  if (!options->base_commit.empty() && options->base_commit != state->base_commit) {
    state->base_commit = options->base_commit;
    state->base_tree.clear();
  }
  if (options->differing.has_value()) state->differing = *std::move(options->differing);
  if (options->rules.has_value()) state->rules = *std::move(options->rules);
}

}  // namespace

absl::StatusOr<std::string> WorkspaceDirOf(const SessionServices& services,
                                           const std::string& workspace) {
  if (!services.workspace_dir.empty()) return services.workspace_dir;
  return services.store->WorkspaceDir(workspace);
}

absl::StatusOr<std::unique_ptr<RunSandbox>> OpenSandbox(const SessionServices& services,
                                                        const std::string& workspace,
                                                        const std::optional<Repository>& repository,
                                                        const std::string& outputs) {
  SandboxPlace place;
  place.outputs = outputs;
  place.workspace = workspace;
  place.state_dir = services.store->state_dir();
  STILE_ASSIGN_OR_RETURN(place.workspace_dir, WorkspaceDirOf(services, workspace));
  place.config_dir = services.config_dir;
  place.environment = services.environment;
  place.secrets = services.secret_files;
  if (repository.has_value()) {
    const std::string common = CleanPath(repository->common_dir());
    place.repositories = {repository->root(), repository->git_dir(), common};
    // A worktree's dependencies are links into the main working tree.
    if (BaseName(common) == ".git") place.repositories.push_back(DirName(common));
  }
  return RunSandbox::Open(services.sandbox, std::move(place), *services.languages, services.runner);
}

absl::StatusOr<std::vector<std::string>> GatedWorkspace::WrapPrograms(
    const Repository& repository) {
  if (sandbox_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(sandbox_, OpenSandbox(services_, workspace_, repository, outputs_));
  }
  return sandbox_->ProgramWrapper(repository.git_dir(), repository.common_dir());
}

absl::StatusOr<std::unique_ptr<GatedWorkspace>> GatedWorkspace::Open(
    const SessionServices& services, GatedWorkspaceOptions options) {
  const std::string& workspace = options.workspace;
  std::unique_ptr<GatedWorkspace> gated(new GatedWorkspace(services, options));
  // What does not exist cannot be shown in a sandbox that is made now.
  if (!options.outputs.empty()) {
    STILE_RETURN_IF_ERROR(services.file_system->MakeDirs(options.outputs));
  }
  STILE_ASSIGN_OR_RETURN(gated->restored_,
                         RecoverTransactions(services.file_system, services.clock,
                                             services.store->edits_dir(), workspace));
  GateOptions gate;
  STILE_ASSIGN_OR_RETURN(gate.state_dir, WorkspaceDirOf(services, workspace));
  WorkspaceMemory memory =
      LoadWorkspaceMemory(services.file_system, WorkspaceMemoryFile(gate.state_dir));
  if (!options.baseline.has_value()) {
    STILE_ASSIGN_OR_RETURN(memory, MemoryWithSourceFolders(services.file_system, gate.state_dir,
                                                           workspace, *services.languages));
  }
  const auto is_watched = [&](const std::string& path) {
    return IsWatched(path, *services.languages, options.settings.watch);
  };
  const ProgramWrapper wrapper = [gated = gated.get()](const Repository& repository) {
    return gated->WrapPrograms(repository);
  };
  STILE_ASSIGN_OR_RETURN(gated->state_, InspectWorkspace(services.runner, wrapper, workspace,
                                                         is_watched, NeverIgnoredBy(memory)));
  UseBeginning(&options, &gated->state_);
  gated->content_ =
      std::make_unique<StoredBaselineContent>(workspace, services.store->blobs(), &gated->state_);
  if (gated->sandbox_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(gated->sandbox_, OpenSandbox(services, workspace,
                                                        gated->state_.repository, options.outputs));
  }
  gate.workspace = workspace;
  gate.settings = std::move(options.settings);
  gate.environment = services.environment;
  gate.ignore_rules = gated->state_.rules;
  gate.inherited = gated->state_.differing;
  gate.baseline = std::move(options.baseline);
  gate.languages = services.languages;
  gate.validators = services.validators;
  gate.file_system = services.file_system;
  gate.runner = gated->sandbox_->judges();
  gate.clock = services.clock;
  gate.events = options.events;
  gate.baseline_content = gated->content_.get();
  gate.weakening = services.weakening;
  gate.conditions = services.conditions;
  gate.scopes = services.scopes;
  gate.syntax = services.syntax;
  gate.functions = services.functions;
  gate.cancellation = options.cancellation;
  gate.log = services.validation_log;
  gate.remembers_changes = options.events != nullptr;
  STILE_ASSIGN_OR_RETURN(gated->gate_, Gate::Start(std::move(gate)));
  gated->sandbox_->Protect(GitDirectories(gated->gate_->current(), workspace));
  return gated;
}

}  // namespace stile
