#include "validators/compiler/typescript_graph.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/typescript_config.h"

namespace stile {
namespace {

// `absolute` relative to the workspace, if it lies in it and in no node_modules.
std::optional<std::string> OwnFolder(const Project& project, const std::string& absolute) {
  if (absolute == project.workspace) return ".";
  absl::string_view rest = absolute;
  if (!absl::ConsumePrefix(&rest, absl::StrCat(project.workspace, "/"))) return std::nullopt;
  if (absl::StrContains(absl::StrCat("/", rest, "/"), "/node_modules/")) return std::nullopt;
  return std::string(rest);
}

// Adds the workspace packages that package.json in the project's root depends on. False: one of
// them cannot be found.
bool AddPackages(const Project& project, std::set<std::string>* folders) {
  const std::optional<std::string> text = ReadProjectFile(project, "package.json");
  if (!text.has_value()) return true;
  const absl::StatusOr<Json> json = ParseJson(*text);
  if (!json.ok()) return false;
  for (const char* kind :
       {"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"}) {
    const Json* packages = JsonMember(*json, kind);
    if (packages == nullptr || !packages->is_object()) continue;
    for (const auto& [name, version] : packages->items()) {
      bool found = false;
      for (const std::string& above : FoldersUpward(project)) {
        const auto real = RealPath(
            JoinPath(JoinPath(project.workspace, above), absl::StrCat("node_modules/", name)));
        if (!real.ok()) continue;
        found = true;
        if (const auto own = OwnFolder(project, *real)) folders->insert(*own);
        break;
      }
      const std::string wanted = version.is_string() ? version.get<std::string>() : "";
      const bool local = absl::StartsWith(wanted, "workspace:") ||
                         absl::StartsWith(wanted, "file:") || absl::StartsWith(wanted, "link:");
      if (!found && local) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> TypeScriptDependencies(const Project& project,
                                                               const std::string& file) {
  if (project.loose) return std::nullopt;
  std::set<std::string> folders;
  // A solution is not among the configs that are run, but its references are what it is about.
  std::vector<std::string> names = ConfigsOfProject(project.workspace, file);
  if (std::find(names.begin(), names.end(), file) == names.end()) names.push_back(file);
  for (const std::string& name : names) {
    const auto config = LoadTypeScriptConfig(project.workspace, name);
    if (!config.ok()) return std::nullopt;
    const bool closed = config->composite || config->is_solution ||
                        (!config->root_dir.empty() && IsWithin(config->root_dir, project.root));
    if (!closed) return std::nullopt;
    for (const std::string& reference : config->references) folders.insert(DirName(reference));
    for (const std::string& base : config->extended) folders.insert(DirName(base));
  }
  if (!AddPackages(project, &folders)) return std::nullopt;
  folders.erase(project.root);
  return std::vector<std::string>(folders.begin(), folders.end());
}

}  // namespace stile
