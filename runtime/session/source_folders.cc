#include "runtime/session/source_folders.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxVisited = 500'000;

bool IsOutputName(const std::string& name) {
  static const auto* const kNames =
      new std::set<std::string>{"build", "out", "dist", "target", "obj", "bin"};
  return kNames->count(name) > 0;
}

// Files that build tools leave at the top of their output folders: CMake, Ninja, Cargo, Maven,
// MSBuild, Gradle, Meson, setuptools.
bool HoldsMarkOfTool(const std::string& folder) {
  for (const char* name :
       {"CMakeCache.txt", ".ninja_log", ".rustc_info.json", "maven-status", "project.assets.json",
        "meson-private", "classes", "bdist.linux-x86_64", "Debug", "Release"}) {
    if (FileExists(JoinPath(folder, name))) return true;
  }
  return false;
}

bool IsJavaScript(absl::string_view path) {
  for (const char* ending : {".js", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts"}) {
    if (absl::EndsWith(path, ending)) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const std::string& workspace, const LanguageRegistry& languages, IgnoreRules rules)
      : workspace_(workspace), languages_(languages), rules_(std::move(rules)) {}

  // Adds output folders below `folder` that hold source, and says whether code or a build file lies
  // directly in it or in folders of other names.
  absl::StatusOr<bool> Visit(const std::string& folder, std::set<std::string>* sources) {
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListDirectory(JoinPath(workspace_, folder)));
    bool has_code = false;
    std::vector<std::string> outputs;
    for (const std::string& name : names) {
      if (++visited_ > kMaxVisited) {
        return absl::ResourceExhaustedError(
            absl::StrCat("more than ", kMaxVisited, " files in ", workspace_,
                         "; run in a git repository, or in a smaller folder"));
      }
      const std::string path = folder == "." ? name : JoinPath(folder, name);
      std::error_code error;
      const fs::file_type type = fs::symlink_status(JoinPath(workspace_, path), error).type();
      if (type == fs::file_type::regular) {
        has_code |= IsSource(path) && !rules_.IsIgnoredFile(path);
      } else if (type == fs::file_type::directory && IsOutputName(name)) {
        outputs.push_back(path);
      } else if (type == fs::file_type::directory && name != ".git" &&
                 !rules_.Matches(path, true)) {
        // A folder that cannot be read holds nothing that a run could validate.
        has_code |= Visit(path, sources).value_or(false);
      }
    }
    for (const std::string& path : outputs) {
      if (HoldsMarkOfTool(JoinPath(workspace_, path))) continue;
      std::set<std::string> inner;
      const absl::StatusOr<bool> has_source = Visit(path, &inner);
      if (!has_source.ok()) {
        if (absl::IsResourceExhausted(has_source.status())) return has_source.status();
        continue;
      }
      if (!*has_source && inner.empty()) continue;
      const bool is_package = FileExists(JoinPath(JoinPath(workspace_, folder), "package.json")) ||
                              FileExists(JoinPath(JoinPath(workspace_, folder), "tsconfig.json"));
      if (is_package && has_code && HoldsOnlyJavaScript(path)) continue;
      sources->insert(path);
      sources->insert(inner.begin(), inner.end());
    }
    return has_code;
  }

 private:
  bool IsSource(const std::string& path) const {
    const bool is_build_file =
        !languages_.OfBuildFile(path).empty() && !absl::EndsWith(path, ".json");
    return is_build_file || languages_.OfFile(path) != nullptr || absl::EndsWith(path, ".mk") ||
           absl::EndsWith(path, ".cmake");
  }

  bool HoldsOnlyJavaScript(const std::string& folder) const {
    std::error_code error;
    fs::recursive_directory_iterator it(JoinPath(workspace_, folder), error), end;
    for (; !error && it != end; it.increment(error)) {
      const std::string path = it->path().string();
      std::error_code ignored;
      if (it->is_regular_file(ignored) && languages_.OfFile(path) != nullptr &&
          !IsJavaScript(path)) {
        return false;
      }
    }
    return true;
  }

  const std::string& workspace_;
  const LanguageRegistry& languages_;
  const IgnoreRules rules_;  // without patterns for the names above
  size_t visited_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> FindSourceFolders(const std::string& workspace,
                                                           const LanguageRegistry& languages) {
  std::vector<std::string> patterns;
  for (std::string& pattern : DefaultIgnorePatterns()) {
    if (!absl::EndsWith(pattern, "/") || !IsOutputName(pattern.substr(0, pattern.size() - 1))) {
      patterns.push_back(std::move(pattern));
    }
  }
  STILE_ASSIGN_OR_RETURN(IgnoreRules rules, IgnoreRules::Load(workspace, patterns, {}));
  std::set<std::string> sources;
  STILE_RETURN_IF_ERROR(
      Finder(workspace, languages, std::move(rules)).Visit(".", &sources).status());
  return std::vector<std::string>(sources.begin(), sources.end());
}

absl::StatusOr<WorkspaceMemory> MemoryWithSourceFolders(FileSystem* file_system,
                                                        const std::string& state_dir,
                                                        const std::string& workspace,
                                                        const LanguageRegistry& languages) {
  const std::string file = WorkspaceMemoryFile(state_dir);
  WorkspaceMemory memory = LoadWorkspaceMemory(file_system, file);
  for (std::string folder = workspace;; folder = DirName(folder)) {
    if (FileExists(JoinPath(folder, ".git"))) return memory;
    if (folder == "/") break;
  }
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> found, FindSourceFolders(workspace, languages));
  std::set<std::string> folders(memory.source_folders.begin(), memory.source_folders.end());
  const size_t known = folders.size();
  folders.insert(found.begin(), found.end());
  if (folders.size() == known) return memory;
  memory.source_folders.assign(folders.begin(), folders.end());
  STILE_RETURN_IF_ERROR(file_system->MakeDirs(state_dir));
  STILE_RETURN_IF_ERROR(SaveWorkspaceMemory(file_system, file, memory));
  return memory;
}

std::string PatternThatKeeps(const std::string& folder) {
  std::string pattern = "!/";
  for (const char c : folder) {
    if (absl::StrContains("\\*?[! #", c)) pattern += '\\';
    pattern += c;
  }
  return pattern + "/";
}

}  // namespace stile
