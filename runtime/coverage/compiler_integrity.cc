#include "runtime/coverage/compiler_integrity.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// ".../node_modules/typescript/bin/tsc" → ".../node_modules/typescript"; "" if it is in none.
std::string NodePackage(const std::string& program) {
  const std::string folder = "/node_modules/";
  const size_t at = program.rfind(folder);
  if (at == std::string::npos) return "";
  size_t end = program.find('/', at + folder.size());
  if (end != std::string::npos && program[at + folder.size()] == '@') {
    end = program.find('/', end + 1);
  }
  return program.substr(0, end);
}

// ".../.venv/bin/mypy" → ".../.venv/lib/python3.11/site-packages/mypy" where there is one.
std::vector<std::string> PythonPackages(const std::string& program) {
  std::vector<std::string> packages;
  const std::string home = DirName(DirName(program));
  if (!FileExists(JoinPath(home, "pyvenv.cfg"))) return packages;
  const auto versions = ListDirectory(JoinPath(home, "lib"));
  if (!versions.ok()) return packages;
  for (const std::string& version : *versions) {
    packages.push_back(
        JoinPath(home, absl::StrCat("lib/", version, "/site-packages/", BaseName(program))));
  }
  return packages;
}

std::optional<std::string> FileBelow(const std::string& folder, absl::Time start) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::recursive_directory_iterator walk(folder, error), end; !error && walk != end;
       walk.increment(error)) {
    const std::string path = walk->path().string();
    // What Python compiled from its modules when it first ran them.
    if (absl::EndsWith(path, ".pyc") || absl::EndsWith(path, "__pycache__")) continue;
    if (ChangedSince(path, start)) return path;
  }
  return std::nullopt;
}

// What tells whether a file is the one that it was; "" for none.
std::string IdentityOf(const std::string& absolute) {
  struct stat info {};
  if (lstat(absolute.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return "";
  return absl::StrCat(info.st_ino, " ", info.st_size, " ", Nanoseconds(info.st_ctim));
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& absolute) {
  struct stat info {};
  if (lstat(absolute.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::NotFoundError(absolute);
  }
  return DiskFileSystem()->ReadFile(absolute, kMaxFileBytes);
}

}  // namespace

bool IsOfInstalledPackage(absl::string_view path) {
  for (const absl::string_view folder : {"node_modules/", "site-packages/", "dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at == absl::string_view::npos || (at > 0 && path[at - 1] != '/')) continue;
    const absl::string_view rest = path.substr(at + folder.size());
    if (!rest.empty() && rest[0] != '.') return true;
  }
  return false;
}

bool ChangedSince(const std::string& path, absl::Time start) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && absl::TimeFromTimespec(info.st_ctim) > start;
}

std::optional<std::string> CompilerFileChangedSince(const std::string& program, absl::Time start) {
  if (program.empty()) return std::nullopt;
  if (ChangedSince(program, start)) return program;
  std::vector<std::string> folders = PythonPackages(program);
  if (const std::string package = NodePackage(program); !package.empty()) {
    folders.push_back(package);
    // A native compiler lies in a package of its own beside the launcher's.
    folders.push_back(JoinPath(DirName(package), "@typescript"));
  }
  for (const std::string& folder : folders) {
    if (auto found = FileBelow(folder, start)) return found;
  }
  return std::nullopt;
}

PinnedScripts::PinnedScripts(std::string workspace, const std::vector<JudgingFile>& files,
                             const Snapshot& start)
    : workspace_(std::move(workspace)) {
  for (const JudgingFile& file : files) {
    Add(file.path, file.runs, start);
    const absl::StatusOr<std::string> real = RealPath(JoinPath(workspace_, file.path));
    if (real.ok() && absl::StartsWith(*real, workspace_ + "/")) {
      Add(real->substr(workspace_.size() + 1), file.runs, start);
    }
  }
}

void PinnedScripts::Add(const std::string& path, bool runs, const Snapshot& start) {
  const auto [pin, is_new] = pins_.try_emplace(path);
  pin->second.runs = runs || (!is_new && pin->second.runs);
  if (!is_new) return;
  const std::string absolute = JoinPath(workspace_, path);
  pin->second.identity = IdentityOf(absolute);
  const FileRecord* const before = start.Find(path);
  if (before == nullptr) return;
  pin->second.was_there = true;
  const absl::StatusOr<std::string> content =
      before->kind == FileRecord::Kind::kSymlink ? ReadLink(absolute) : ReadRegularFile(absolute);
  pin->second.differs = !content.ok() || Sha256Of(*content) != before->hash;
}

bool PinnedScripts::Holds(const std::string& path) const {
  if (!absl::StartsWith(path, workspace_ + "/")) return false;
  const auto pin = pins_.find(path.substr(workspace_.size() + 1));
  return pin != pins_.end() && pin->second.runs && pin->second.was_there;
}

std::optional<std::string> PinnedScripts::Changed(absl::Time run_began) const {
  for (const auto& [path, pin] : pins_) {
    if (pin.differs) return path;
    if (!pin.runs) continue;
    const std::string absolute = JoinPath(workspace_, path);
    const std::string now = IdentityOf(absolute);
    if (now != pin.identity) return path;
    if (!pin.was_there && !now.empty() && ChangedSince(absolute, run_began)) return path;
  }
  return std::nullopt;
}

}  // namespace stile
