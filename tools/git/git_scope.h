#ifndef STILE_TOOLS_GIT_GIT_SCOPE_H_
#define STILE_TOOLS_GIT_GIT_SCOPE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/git/repository.h"
#include "runtime/tool/tool.h"

namespace stile {

// The repository of a workspace, which may be a folder of it. Paths of git are relative to the
// working tree's root, those of tools to the workspace.
class GitScope {
 public:
  // The errors of Repository::Open, with what to do.
  static absl::StatusOr<GitScope> Open(const ToolContext& context);

  const Repository& repository() const { return repository_; }
  std::string ToGit(const std::string& workspace_path) const;
  std::optional<std::string> ToWorkspace(const std::string& git_path) const;  // nullopt: outside

  // Git's paths for one that the model gave ("" for the whole workspace; none at all when that is
  // the whole working tree). Errors of ResolveInWorkspace.
  absl::StatusOr<std::vector<std::string>> Paths(const std::string& given) const;

  // The entries of the workspace, with paths relative to it.
  absl::StatusOr<GitStatus> Status() const;

 private:
  GitScope(Repository repository, std::string workspace, std::string prefix)
      : repository_(std::move(repository)),
        workspace_(std::move(workspace)),
        prefix_(std::move(prefix)) {}
  Repository repository_;
  std::string workspace_;
  std::string
      prefix_;  // the workspace relative to the working tree's root; "." for the root itself
};

}  // namespace stile

#endif  // STILE_TOOLS_GIT_GIT_SCOPE_H_
