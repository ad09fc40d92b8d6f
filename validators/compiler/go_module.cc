#include "validators/compiler/go_module.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"

namespace stile {
namespace {

constexpr size_t kMaxGoWorkBytes = size_t{4} << 20;

std::string Unquoted(absl::string_view word) {
  if (word.size() >= 2 && (word.front() == '"' || word.front() == '`') &&
      word.back() == word.front()) {
    word = word.substr(1, word.size() - 2);
  }
  return std::string(word);
}

// The directives of go.mod and go.work, blocks flattened: {"require", "x", "v1"}.
std::vector<std::vector<std::string>> Directives(absl::string_view text) {
  std::vector<std::vector<std::string>> directives;
  std::string block;
  for (absl::string_view line : SplitLines(text)) {
    line = line.substr(0, line.find("//"));
    std::vector<std::string> words;
    for (absl::string_view word :
         absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty())) {
      words.push_back(Unquoted(word));
    }
    if (words.empty()) continue;
    if (words.back() == "(") {
      block = words[0];
    } else if (words[0] == ")") {
      block.clear();
    } else {
      if (!block.empty()) words.insert(words.begin(), block);
      directives.push_back(std::move(words));
    }
  }
  return directives;
}

struct GoWork {
  std::string folder;                // of go.work, relative to the workspace
  std::vector<std::string> modules;  // relative to the workspace
};

// The go.work in force: the nearest one from the project's root upward, within the workspace.
std::optional<GoWork> FindGoWork(const Project& project) {
  for (const std::string& folder : FoldersUpward(project)) {
    const std::string path = JoinPath(JoinPath(project.workspace, folder), "go.work");
    const absl::StatusOr<std::string> text = DiskFileSystem()->ReadFile(path, kMaxGoWorkBytes);
    if (!text.ok()) continue;
    GoWork work{folder, {}};
    for (const std::string& used : ParseGoWork(*text)) {
      work.modules.push_back(CleanPath(JoinPath(folder, used)));
    }
    return work;
  }
  return std::nullopt;
}

}  // namespace

GoModule ParseGoMod(absl::string_view text) {
  GoModule module;
  for (const std::vector<std::string>& words : Directives(text)) {
    if (words.size() < 2) continue;
    if (words[0] == "module") module.path = words[1];
    if (words[0] == "go") module.go_version = words[1];
    if (words[0] == "require") module.required.push_back(words[1]);
    if (words[0] == "replace") {
      const auto arrow = std::find(words.begin(), words.end(), "=>");
      if (arrow == words.end() || arrow + 1 == words.end()) continue;
      const std::string& target = *(arrow + 1);
      if (absl::StartsWith(target, ".") || absl::StartsWith(target, "/")) {
        module.local.push_back(target);
      }
    }
  }
  return module;
}

std::vector<std::string> ParseGoWork(absl::string_view text) {
  std::vector<std::string> folders;
  for (const std::vector<std::string>& words : Directives(text)) {
    if (words.size() >= 2 && words[0] == "use") folders.push_back(words[1]);
  }
  return folders;
}

Toolchain FindGo(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"go"};
  query.version_arguments = {"version"};
  query.install_hint =
      "go is not installed: apt-get install golang-go, or a newer one from https://go.dev/dl";
  query.follow_links = true;
  return FindToolchain(query, environment, runner);
}

Environment GoVariables(const Project& project) {
  // -buildvcs=false: no git in the workspace is asked, and none of its hooks or configuration
  // matters. -gcflags=-e: all errors of a package, not the first ten. It holds for the packages
  // that a command names, not for what they build on outside of the module; given here, build, vet
  // and test share what they compiled.
  Environment variables = {{"GOENV", "off"},
                           {"GOFLAGS", "-buildvcs=false -gcflags=-e"},
                           {"GOTOOLCHAIN", "local"},
                           {"GO111MODULE", "on"}};
  const std::optional<GoWork> work = FindGoWork(project);
  if (!work.has_value() ||
      std::find(work->modules.begin(), work->modules.end(), project.root) == work->modules.end()) {
    variables["GOWORK"] = "off";
  }
  return variables;
}

std::vector<std::string> GoDependencies(const Project& project) {
  const std::optional<std::string> text = ReadProjectFile(project, "go.mod");
  if (!text.has_value()) return {};
  const GoModule module = ParseGoMod(*text);
  std::vector<std::string> roots;
  for (const std::string& folder : module.local) {
    if (absl::StartsWith(folder, "/")) {
      if (IsWithin(folder, project.workspace)) {
        roots.push_back(folder == project.workspace
                            ? "."
                            : CleanPath(folder.substr(project.workspace.size() + 1)));
      }
      continue;
    }
    const std::string root = CleanPath(JoinPath(project.root, folder));
    if (!absl::StartsWith(root, "..")) roots.push_back(root);
  }
  if (const std::optional<GoWork> work = FindGoWork(project)) {
    // What go.work itself says counts too.
    roots.push_back(work->folder);
    for (const std::string& folder : work->modules) {
      Project other = project;
      other.root = folder;
      const std::optional<std::string> other_text = ReadProjectFile(other, "go.mod");
      if (!other_text.has_value()) continue;
      const std::string path = ParseGoMod(*other_text).path;
      if (std::find(module.required.begin(), module.required.end(), path) !=
          module.required.end()) {
        roots.push_back(folder);
      }
    }
  }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  roots.erase(std::remove(roots.begin(), roots.end(), project.root), roots.end());
  return roots;
}

}  // namespace stile
