#include "agents/api/reviewed_files.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/tool_session.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxShownBytes = 200'000;  // so that one prompt holds the largest file
constexpr size_t kMaxFiles = 200;
constexpr size_t kMaxBytes = 2'000'000;  // of all targets

// A target as a path relative to the workspace; "." for the workspace.
absl::StatusOr<std::string> RelativeTarget(const std::string& workspace,
                                           const std::string& target) {
  std::string path = CleanPath(target);
  if (absl::StartsWith(path, "/")) {
    if (path == workspace) return std::string(".");
    if (!IsWithin(path, workspace))
      path = "../";
    else
      path = path.substr(workspace.size() + 1);
  }
  if (path == ".." || absl::StartsWith(path, "../")) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToUtf8(target), " is outside of the workspace ", ToUtf8(workspace)));
  }
  return path;
}

size_t SizeOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<size_t>(info.st_size) : 0;
}

}  // namespace

absl::StatusOr<ReviewedFiles> ReviewedFiles::Open(const SessionContext* context,
                                                  const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         ToolSession(context, workspace).ListFiles());
  return ReviewedFiles(context, workspace,
                       std::set<std::string>(std::make_move_iterator(paths.begin()),
                                             std::make_move_iterator(paths.end())));
}

absl::StatusOr<std::vector<std::string>> ReviewedFiles::Expand(
    const std::vector<std::string>& targets) const {
  std::set<std::string> found;
  for (const std::string& target : targets.empty() ? std::vector<std::string>{"."} : targets) {
    STILE_ASSIGN_OR_RETURN(const std::string path, RelativeTarget(workspace_, target));
    if (paths_.count(path) > 0) {
      STILE_RETURN_IF_ERROR(WithContext(Read(path).status(), "cannot verify it"));
      found.insert(path);
      continue;
    }
    if (!DirectoryExists(JoinPath(workspace_, path))) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToUtf8(target), FileExists(JoinPath(workspace_, path))
                                           ? " is ignored by git, and is not shown to models"
                                           : ": there is no such file or folder"));
    }
    for (const std::string& file : paths_) {
      const bool is_inside = path == "." || IsWithin(file, path);
      if (!is_inside || context_->languages->AllOfFile(file).empty()) continue;
      if (SizeOf(JoinPath(workspace_, file)) <= kMaxShownBytes) found.insert(file);
    }
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(
        "the targets hold no source file in a language that Stile knows; name files");
  }
  size_t bytes = 0;
  for (const std::string& file : found) bytes += SizeOf(JoinPath(workspace_, file));
  if (found.size() > kMaxFiles || bytes > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the targets hold ", Count(found.size(), "file"),
                                                   " of ", bytes / 1000,
                                                   " kB; one session "
                                                   "takes ",
                                                   kMaxFiles, " files of ", kMaxBytes / 1000,
                                                   " kB: name fewer, and start a session "
                                                   "for each part"));
  }
  return std::vector<std::string>(found.begin(), found.end());
}

absl::StatusOr<std::string> ReviewedFiles::Read(const std::string& path) const {
  const std::string clean = CleanPath(path);
  if (paths_.count(clean) == 0 || clean != path) {
    return absl::NotFoundError(
        absl::StrCat("there is no file ", ToUtf8(path), " in the workspace"));
  }
  if (!IsReadable(path)) {
    return absl::NotFoundError(absl::StrCat(ToUtf8(path), ": the permission rules hide it"));
  }
  auto text = context_->file_system->ReadFile(JoinPath(workspace_, path), kMaxShownBytes);
  if (!text.ok()) {
    return absl::NotFoundError(absl::StrCat(ToUtf8(path), ": ", text.status().message()));
  }
  if (absl::StrContains(*text, '\0')) {
    return absl::NotFoundError(absl::StrCat(ToUtf8(path), " is no text"));
  }
  return text;
}

bool ReviewedFiles::IsReadable(const std::string& path) const {
  const auto known = readable_.find(path);
  if (known != readable_.end()) return known->second;
  const bool is_allowed = !absl::IsPermissionDenied(
      ToolSession(context_, workspace_).CheckAllowed("file.read", {{"path", ToUtf8(path)}}));
  readable_[path] = is_allowed;
  return is_allowed;
}

}  // namespace stile
