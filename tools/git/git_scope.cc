#include "tools/git/git_scope.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

absl::StatusOr<GitScope> GitScope::Open(const ToolContext& context) {
  auto repository = Repository::Open(context.runner, context.workspace, context.wrap_programs);
  if (!repository.ok()) {
    if (absl::StrContains(repository.status().message(), "not a git repository")) {
      return absl::FailedPreconditionError(
          "the workspace is not in a git repository, so git.* tools cannot be used");
    }
    return repository.status();
  }
  if (!IsWithin(context.workspace, repository->root())) {
    return absl::FailedPreconditionError(
        absl::StrCat("git's working tree ", repository->root(), " does not hold the workspace"));
  }
  std::string prefix = ".";
  if (context.workspace != repository->root()) {
    const size_t root_size = repository->root() == "/" ? 0 : repository->root().size();
    prefix = context.workspace.substr(root_size + 1);
  }
  return GitScope(*std::move(repository), context.workspace, std::move(prefix));
}

std::string GitScope::ToGit(const std::string& workspace_path) const {
  return workspace_path == "." ? prefix_ : JoinPath(prefix_, workspace_path);
}

std::optional<std::string> GitScope::ToWorkspace(const std::string& git_path) const {
  if (prefix_ == ".") return git_path;
  if (!IsWithin(git_path, prefix_) || git_path == prefix_) return std::nullopt;
  return git_path.substr(prefix_.size() + 1);
}

absl::StatusOr<std::vector<std::string>> GitScope::Paths(const std::string& given) const {
  std::string relative = ".";
  if (!given.empty()) {
    STILE_ASSIGN_OR_RETURN(WorkspacePath path, ResolveInWorkspace(workspace_, given));
    relative = std::move(path.relative);
  }
  const std::string path = ToGit(relative);
  if (path == ".") return std::vector<std::string>();
  return std::vector<std::string>{path};
}

absl::StatusOr<GitStatus> GitScope::Status() const {
  STILE_ASSIGN_OR_RETURN(GitStatus status, repository_.Status());
  std::vector<GitStatusEntry> all = std::move(status.entries);
  status.entries.clear();
  for (GitStatusEntry& entry : all) {
    if (auto path = ToWorkspace(entry.path); path.has_value()) {
      status.entries.push_back({std::move(entry.code), *std::move(path)});
    }
  }
  return status;
}

}  // namespace stile
