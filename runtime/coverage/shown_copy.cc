#include "runtime/coverage/shown_copy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

absl::Status MakeFolder(const std::string& path, mode_t mode) {
  return mkdir(path.c_str(), mode) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "make", path);
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> MirrorCopy(const std::string& copy,
                                                              const std::string& workspace,
                                                              const std::string& mirror) {
  std::map<std::string, std::string> places = {{workspace, mirror}};
  STILE_RETURN_IF_ERROR(MakeFolder(mirror, 0700));
  std::vector<std::string> folders = {""};  // "/" before each name
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(copy + folder));
    for (const std::string& name : names) {
      const std::string path = absl::StrCat(folder, "/", name);
      const std::string source = copy + path;
      const std::string target = mirror + path;
      struct stat info {};
      if (lstat(source.c_str(), &info) != 0) return ErrnoStatus(errno, "look at", source);
      if (S_ISDIR(info.st_mode)) {
        STILE_RETURN_IF_ERROR(MakeFolder(target, info.st_mode & 0777));
        folders.push_back(path);
        continue;
      }
      if (S_ISLNK(info.st_mode)) {
        STILE_ASSIGN_OR_RETURN(const std::string text, ReadLink(source));
        if (text == workspace + path && DirectoryExists(text)) {
          STILE_RETURN_IF_ERROR(MakeFolder(target, 0700));
          places[text] = text;
        } else if (symlink(text.c_str(), target.c_str()) != 0) {
          return ErrnoStatus(errno, "link", target);
        }
        continue;
      }
      if (link(source.c_str(), target.c_str()) == 0) continue;
      std::error_code error;  // file systems without hard links
      std::filesystem::copy_file(source, target, error);
      if (error) return absl::UnavailableError(absl::StrCat(target, ": ", error.message()));
    }
  }
  return places;
}

absl::Status CheckReplacement(ProcessRunner* runner, const Environment& environment,
                              const std::string& workspace, const std::string& folder) {
  const ScratchFolder scratch(folder);
  const std::string shown = scratch.Sub("shown");
  const std::string mark = RandomHex(16);
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(shown));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(JoinPath(shown, mark), "", 0600, false));
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", absl::StrCat("test -f ", mark)};
  request.cwd = workspace;
  request.env = environment;
  request.timeout = absl::Seconds(30);
  request.replaced = {{workspace, shown}};
  request.needs_no_observation = true;
  STILE_ASSIGN_OR_RETURN(const ProcessResult result, runner->Run(request));
  if (result.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the sandbox does not show another folder: ", result.Description()));
}

}  // namespace stile
