#include "agents/api/planned_story.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

absl::Status CheckPlanFile(const std::string& file, bool replace) {
  if (file.empty() || file[0] == '-') {
    return absl::InvalidArgumentError("give the name of a file");
  }
  if (absl::EndsWithIgnoreCase(file, ".md") || absl::EndsWithIgnoreCase(file, ".markdown")) {
    return absl::InvalidArgumentError(
        "a plan is written as YAML, and would be read as Markdown; name it .yaml");
  }
  if (!DirectoryExists(DirName(file))) return absl::InvalidArgumentError("there is no such folder");
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError("exists, and is not a file");
  if (replace) return absl::OkStatus();
  return absl::AlreadyExistsError("exists already");
}

absl::StatusOr<std::string> WorkspaceSeenFrom(const std::string& file,
                                              const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const std::string folder, RealPath(DirName(file)));
  STILE_ASSIGN_OR_RETURN(const std::string place, RealPath(workspace.empty() ? "." : workspace));
  std::error_code error;
  const std::string relative = std::filesystem::relative(place, folder, error).string();
  std::string found = error || relative.empty() ? place : relative;
  if (IsUtf8(found)) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("the workspace ", ToUtf8(found), ": a story can name it only if it is UTF-8"));
}

absl::StatusOr<Story> PlannedStory(const Json& outputs) {
  return ParseStory(JsonString(outputs, "check").value_or(""), "plan.yaml");
}

absl::Status WritePlannedStory(Story story, const std::string& file, const std::string& workspace,
                               bool replace) {
  STILE_ASSIGN_OR_RETURN(story.workspace, WorkspaceSeenFrom(file, workspace));
  STILE_RETURN_IF_ERROR(CheckPlanFile(file, replace));
  return WriteFileAtomically(DiskFileSystem(), file, StoryText(story));
}

}  // namespace stile
