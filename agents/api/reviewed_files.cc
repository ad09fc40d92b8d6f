#include "agents/api/reviewed_files.h"

#include <sys/stat.h>

#include <algorithm>
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

absl::Status CheckSize(const std::string& workspace, const std::set<std::string>& files) {
  size_t bytes = 0;
  for (const std::string& file : files) bytes += SizeOf(JoinPath(workspace, file));
  if (files.size() <= kMaxFiles && bytes <= kMaxBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the targets hold ", Count(files.size(), "file"), " of ", bytes / 1000,
                   " kB; one session takes ", kMaxFiles, " files of ", kMaxBytes / 1000,
                   " kB: name fewer, and start a session for each part"));
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
    const std::vector<std::string>& targets, const std::vector<std::string>& exclude) const {
  const auto is_excluded = [&](const std::string& path) {
    return std::any_of(exclude.begin(), exclude.end(),
                       [&](const std::string& glob) { return GlobMatch(glob, path); });
  };
  std::set<std::string> found;
  for (const std::string& target : targets.empty() ? std::vector<std::string>{"."} : targets) {
    STILE_ASSIGN_OR_RETURN(const std::string path, RelativeTarget(workspace_, target));
    if (paths_.count(path) > 0) {
      found.insert(path);
      continue;
    }
    if (!DirectoryExists(JoinPath(workspace_, path))) {
      return absl::InvalidArgumentError(absl::StrCat(
          ToUtf8(target), FileExists(JoinPath(workspace_, path))
                              ? ": git ignores it, or it is no regular file; models do not see it"
                              : ": there is no such file or folder"));
    }
    for (const std::string& file : paths_) {
      const bool is_inside = path == "." || IsWithin(file, path);
      if (is_inside && IsSource(file) && !is_excluded(file)) found.insert(file);
    }
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(
        "the targets hold no source file in a language that Stile knows; name files");
  }
  STILE_RETURN_IF_ERROR(CheckSize(workspace_, found));
  // A file without a review must not count as a file without a defect.
  for (const std::string& file : found) {
    const auto text = Read(file);
    const bool is_usable = text.ok() && IsUtf8(file);
    if (is_usable) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(text.ok() ? absl::StrCat(ToUtf8(file), ": its name is not UTF-8")
                               : std::string(text.status().message()),
                     "; leave it out with --exclude GLOB (exclude), or name other targets"));
  }
  return std::vector<std::string>(found.begin(), found.end());
}

absl::StatusOr<std::string> ReviewedFiles::Read(const std::string& path) const {
  const std::string full = JoinPath(workspace_, path);
  if (CleanPath(path) != path || absl::StartsWith(path, "/") || absl::StartsWith(path, "..") ||
      !FileExists(full)) {
    return absl::NotFoundError(
        absl::StrCat("there is no file ", ToUtf8(path), " in the workspace"));
  }
  const auto hidden = [&](absl::string_view why) {
    return absl::FailedPreconditionError(absl::StrCat(ToUtf8(path), " ", why));
  };
  // What was a file when the workspace was listed may lead elsewhere now.
  if (paths_.count(path) == 0 || RealPath(full).value_or("") != full) {
    return hidden("is ignored by git, or is no regular file of the workspace");
  }
  if (!IsReadable(path)) return hidden("is hidden by the permission rules");
  const auto text = context_->file_system->ReadFile(full, kMaxShownBytes);
  if (!text.ok()) {
    return hidden(absl::StrCat("cannot be shown, up to ", kMaxShownBytes / 1000,
                               " kB of text can: ", text.status().message()));
  }
  if (absl::StrContains(*text, '\0')) return hidden("holds a NUL byte, so it is no text");
  const std::string shown = ToUtf8(*text);
  return context_->secrets == nullptr ? shown : context_->secrets->Mask(shown);
}

std::vector<std::string> ReviewedFiles::SourceFiles() const {
  constexpr size_t kMaxListed = 5000;
  std::vector<std::string> files;
  for (const std::string& path : paths_) {
    if (IsSource(path)) files.push_back(path);
    if (files.size() == kMaxListed) break;
  }
  return files;
}

bool ReviewedFiles::IsSource(const std::string& path) const {
  return !context_->languages->AllOfFile(path).empty();
}

bool ReviewedFiles::IsReadable(const std::string& path) const {
  const auto known = readable_.find(path);
  if (known != readable_.end()) return known->second;
  const bool is_allowed = ToolSession(context_, workspace_).CheckReadable(ToUtf8(path)).ok();
  readable_[path] = is_allowed;
  return is_allowed;
}

}  // namespace stile
