#include "runtime/coverage/baseline.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

absl::Status LinkIgnored(const std::set<std::string>& folders, const std::string& workspace,
                         const IgnoreRules& rules,
                         const std::function<bool(const std::string&)>& is_output,
                         const std::string& scratch) {
  for (const std::string& folder : folders) {
    const auto names = ListDirectory(JoinPath(workspace, folder));
    if (!names.ok()) continue;  // the folder is gone by now
    for (const std::string& name : *names) {
      const std::string path = JoinPath(folder, name);
      const std::string source = JoinPath(workspace, path);
      const std::string target = JoinPath(scratch, path);
      if (name == ".git" || !DirectoryExists(source) || !rules.CanSkipFolder(path)) continue;
      if (FileExists(target) || (is_output != nullptr && is_output(path))) continue;
      if (symlink(source.c_str(), target.c_str()) != 0) return ErrnoStatus(errno, "link", target);
    }
  }
  return absl::OkStatus();
}

// Files that a build looks for, such as settings of one machine. Others of this size are mostly
// outputs.
absl::Status CopyIgnored(const ScratchContext& context, const std::set<std::string>& folders,
                         const std::string& scratch) {
  constexpr off_t kSmallBytes = 64 << 10;
  constexpr off_t kMaxBytes = 512 << 20;
  for (const std::string& folder : folders) {
    const auto names = ListDirectory(JoinPath(context.workspace, folder));
    if (!names.ok()) continue;  // the folder is gone by now
    for (const std::string& name : *names) {
      const std::string path = JoinPath(folder, name);
      const std::string source = JoinPath(context.workspace, path);
      const std::string target = JoinPath(scratch, path);
      struct stat info {};
      if (lstat(source.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kMaxBytes ||
          (info.st_size > kSmallBytes && (context.is_read == nullptr || !context.is_read(path))) ||
          FileExists(target) || !context.ignore_rules->IsIgnoredFile(path) ||
          (context.is_output != nullptr && context.is_output(path))) {
        continue;
      }
      const auto bytes = context.file_system->ReadFile(source, kMaxBytes);
      if (!bytes.ok()) continue;  // of another user, or gone
      STILE_RETURN_IF_ERROR(context.file_system->WriteFile(
          target, *bytes, static_cast<int>(info.st_mode & 0777), /*sync=*/false));
      const struct timespec times[] = {info.st_atim, info.st_mtim};
      utimensat(AT_FDCWD, target.c_str(), times, 0);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOutBaseline(const ScratchContext& context, const Snapshot& baseline,
                              BaselineContent* content, const std::string& folder) {
  FileSystem* const fs = context.file_system;
  STILE_RETURN_IF_ERROR(fs->MakeDirs(folder));
  std::set<std::string> folders = {"."};
  for (const FileRecord& file : baseline.files()) {
    if (file.kind == FileRecord::Kind::kSpecial) continue;
    const std::string target = JoinPath(folder, file.path);
    std::string parent = DirName(file.path);
    if (folders.count(parent) == 0) STILE_RETURN_IF_ERROR(fs->MakeDirs(DirName(target)));
    while (folders.insert(parent).second) parent = DirName(parent);
    STILE_ASSIGN_OR_RETURN(const std::string bytes, content->Read(file));
    if (file.kind == FileRecord::Kind::kSymlink) {
      if (symlink(bytes.c_str(), target.c_str()) != 0) return ErrnoStatus(errno, "link", target);
    } else {
      STILE_RETURN_IF_ERROR(fs->WriteFile(target, bytes, static_cast<int>(file.mode & 0777),
                                          /*sync=*/false));
    }
  }
  if (content->is_present()) STILE_RETURN_IF_ERROR(CopyIgnored(context, folders, folder));
  return LinkIgnored(folders, context.workspace, *context.ignore_rules, context.is_output, folder);
}

absl::Status LinkDependencies(const std::string& workspace, const IgnoreRules& rules,
                              const std::string& folder) {
  namespace fs = std::filesystem;
  std::set<std::string> folders = {"."};
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, fs::directory_options::skip_permission_denied,
                                        error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    std::error_code ignored;
    if (!walk->is_directory(ignored) || walk->is_symlink(ignored)) continue;
    if (walk->path().filename() == ".git") {
      walk.disable_recursion_pending();
    } else {
      folders.insert(walk->path().string().substr(folder.size() + 1));
    }
  }
  return LinkIgnored(folders, workspace, rules, nullptr, folder);
}

std::vector<Diagnostic> NewErrors(const std::vector<Diagnostic>& before,
                                  const std::vector<Diagnostic>& now) {
  const auto key_of = [](const Diagnostic& d) {
    return std::make_tuple(d.file, d.scope, d.code, d.message);
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, int> known;
  for (const Diagnostic& d : before) {
    if (d.severity == Severity::kError) ++known[key_of(d)];
  }
  std::vector<Diagnostic> result;
  for (const Diagnostic& d : now) {
    if (d.severity == Severity::kError && known[key_of(d)]-- <= 0) {
      result.push_back(d);
    }
  }
  return result;
}

}  // namespace stile
