#include "runtime/tool/path_identity.h"

#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kMaxLookedAt = 500'000;

std::string Relative(const std::string& workspace, const std::string& path) {
  if (path == workspace) return ".";
  return IsWithin(path, workspace) ? path.substr(workspace.size() + 1) : path;
}

// `path` with the links of its existing part followed.
std::string Resolved(std::string path) {
  std::string rest;
  while (path != "/" && path != ".") {
    if (const absl::StatusOr<std::string> real = RealPath(path); real.ok()) {
      return rest.empty() ? *real : JoinPath(*real, rest);
    }
    // A link to what does not exist yet is followed by whoever writes it.
    if (const absl::StatusOr<std::string> target = ReadLink(path); target.ok()) {
      const std::string next =
          absl::StartsWith(*target, "/") ? *target : JoinPath(DirName(path), *target);
      const absl::StatusOr<std::string> folder = RealPath(DirName(next));
      if (folder.ok()) {
        const std::string named = JoinPath(*folder, BaseName(next));
        return rest.empty() ? named : JoinPath(named, rest);
      }
    }
    rest = rest.empty() ? BaseName(path) : JoinPath(BaseName(path), rest);
    path = DirName(path);
  }
  return JoinPath(path, rest);
}

}  // namespace

std::vector<std::string> OtherPaths(const std::string& workspace, const std::string& path) {
  std::vector<std::string> others;
  if (workspace.empty() || path.empty() || path.find('\0') != std::string::npos) return others;
  const std::string absolute = absl::StartsWith(path, "/") ? path : JoinPath(workspace, path);
  // As the kernel reads "..", and as text.
  const std::string real = Resolved(absolute);
  others.push_back(Relative(workspace, real));
  others.push_back(Relative(workspace, Resolved(CleanPath(absolute))));

  struct stat info {};
  if (stat(real.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink < 2) return others;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  int looked_at = 0;
  for (Walk walk(workspace, options, error); !error && walk != Walk(); walk.increment(error)) {
    if (++looked_at > kMaxLookedAt) break;
    struct stat other {};
    if (lstat(walk->path().c_str(), &other) == 0 && other.st_ino == info.st_ino &&
        other.st_dev == info.st_dev) {
      others.push_back(Relative(workspace, walk->path().string()));
    }
  }
  return others;
}

}  // namespace stile
