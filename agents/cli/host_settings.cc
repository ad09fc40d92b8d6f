#include "agents/cli/host_settings.h"

#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{4} << 20;

}  // namespace

absl::StatusOr<std::string> HostFile(const CliContext& context, const AgentHost& host, bool project,
                                     const std::string& workspace) {
  const std::string& name = project ? host.project_file : host.user_file;
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(host.name, " has no such settings of a ", project ? "project" : "user"));
  }
  if (project) {
    STILE_ASSIGN_OR_RETURN(const std::string folder,
                           ResolveFolder(workspace.empty() ? "." : workspace));
    // A repository could have the settings of another place changed by a link.
    for (const std::string& one : {name, JoinPath(DirName(name), host.companion)}) {
      if (!ResolveInWorkspace(folder, one).ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(one, " leads out of ", folder, " by a link; remove the link first"));
      }
    }
    return JoinPath(folder, name);
  }
  const auto moved = context.environment.find(host.user_folder_variable);
  if (!host.user_folder_variable.empty() && moved != context.environment.end() &&
      !moved->second.empty()) {
    return JoinPath(moved->second, BaseName(name));
  }
  const auto home = context.environment.find("HOME");
  if (home == context.environment.end() || home->second.empty()) {
    return absl::InvalidArgumentError("HOME is not set, so the user has no settings");
  }
  return JoinPath(home->second, name);
}

absl::StatusOr<std::string> ReadHostFile(const std::string& file) {
  auto text = DiskFileSystem()->ReadFile(file, kMaxBytes);
  if (absl::IsNotFound(text.status())) return std::string();
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  return text;
}

}  // namespace stile
