#include "runtime/gate/compiler_integrity.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_system.h"
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

}  // namespace stile
