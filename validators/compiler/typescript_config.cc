#include "validators/compiler/typescript_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;
constexpr int kMaxDepth = 16;
constexpr size_t kMaxConfigs = 200;

absl::StatusOr<Json> ReadConfig(const std::string& path) {
  STILE_ASSIGN_OR_RETURN(const std::string text, DiskFileSystem()->ReadFile(path, kMaxConfigBytes));
  STILE_ASSIGN_OR_RETURN(Json json, ParseJson(StripJsonComments(text)));
  if (!json.is_object()) return absl::InvalidArgumentError("not an object");
  return json;
}

// The absolute path of what `extends` names in a config that lies in absolute `folder`; "" if not
// found.
std::string ResolveExtended(const std::string& folder, const std::string& name) {
  const auto existing = [](const std::string& path) -> std::string {
    if (absl::EndsWith(path, ".json") && FileExists(path)) return path;
    if (FileExists(absl::StrCat(path, ".json"))) return absl::StrCat(path, ".json");
    const std::string inside = JoinPath(path, "tsconfig.json");
    return FileExists(inside) ? inside : "";
  };
  if (absl::StartsWith(name, "/")) return existing(CleanPath(name));
  if (absl::StartsWith(name, ".")) return existing(CleanPath(JoinPath(folder, name)));
  for (std::string above = folder; above.size() > 1; above = DirName(above)) {
    const std::string found = existing(JoinPath(above, absl::StrCat("node_modules/", name)));
    if (!found.empty()) return found;
    if (DirName(above) == above || DirName(above).empty()) break;
  }
  return "";
}

std::string Relative(const std::string& workspace, const std::string& absolute) {
  if (absolute == workspace) return ".";
  return absl::StartsWith(absolute, absl::StrCat(workspace, "/"))
             ? absolute.substr(workspace.size() + 1)
             : "";
}

// Adds what the config at absolute `path` says; bases first, so that later words win.
void ReadChain(const std::string& workspace, const std::string& path, int depth,
               std::set<std::string>* seen, TypeScriptConfig* out) {
  if (depth > kMaxDepth || seen->size() > kMaxConfigs || !seen->insert(path).second) return;
  const absl::StatusOr<Json> json = ReadConfig(path);
  if (!json.ok()) return;
  const std::string folder = DirName(path);
  if (depth > 0) {
    const std::string relative = Relative(workspace, path);
    if (!relative.empty()) out->extended.push_back(relative);
  }
  std::vector<std::string> bases;
  if (const Json* extends = JsonMember(*json, "extends"); extends != nullptr) {
    if (extends->is_string()) bases.push_back(extends->get<std::string>());
    if (extends->is_array()) {
      for (const Json& base : *extends) {
        if (base.is_string()) bases.push_back(base.get<std::string>());
      }
    }
  }
  for (const std::string& base : bases) {
    const std::string resolved = ResolveExtended(folder, base);
    if (!resolved.empty()) ReadChain(workspace, resolved, depth + 1, seen, out);
  }
  if (JsonMember(*json, "files") != nullptr) out->lists_files = true;
  if (JsonMember(*json, "include") != nullptr) out->has_include = true;
  if (JsonMember(*json, "exclude") != nullptr) out->has_exclude = true;
  const Json* options = JsonMember(*json, "compilerOptions");
  if (options == nullptr) return;
  if (const auto allow = JsonBool(*options, "allowJs")) out->allow_js = *allow;
  if (const auto check = JsonBool(*options, "checkJs"); check == true) out->allow_js = true;
  if (const auto composite = JsonBool(*options, "composite")) out->composite = *composite;
  if (const auto root_dir = JsonString(*options, "rootDir")) {
    out->root_dir = Relative(workspace, CleanPath(JoinPath(folder, *root_dir)));
  }
  if (const auto out_dir = JsonString(*options, "outDir")) {
    out->out_dir = absl::StartsWith(*out_dir, "/") ? CleanPath(*out_dir)
                                                   : CleanPath(JoinPath(folder, *out_dir));
  }
}

}  // namespace

absl::StatusOr<TypeScriptConfig> LoadTypeScriptConfig(const std::string& workspace,
                                                      const std::string& file) {
  const std::string path = JoinPath(workspace, file);
  STILE_ASSIGN_OR_RETURN(const Json json, ReadConfig(path));
  TypeScriptConfig config;
  config.file = file;
  config.allow_js = absl::StartsWith(BaseName(file), "jsconfig");
  std::set<std::string> seen;
  ReadChain(workspace, path, 0, &seen, &config);
  if (const Json* references = JsonMember(json, "references");
      references != nullptr && references->is_array()) {
    for (const Json& reference : *references) {
      const auto target = JsonString(reference, "path");
      if (!target.has_value()) continue;
      std::string referred = CleanPath(JoinPath(DirName(path), *target));
      if (!absl::EndsWith(referred, ".json")) referred = JoinPath(referred, "tsconfig.json");
      const std::string relative = Relative(workspace, referred);
      if (!relative.empty()) config.references.push_back(relative);
    }
  }
  const Json* files = JsonMember(json, "files");
  config.is_solution = files != nullptr && files->is_array() && files->empty() &&
                       JsonMember(json, "include") == nullptr && !config.references.empty();
  return config;
}

std::vector<std::string> ConfigsOfProject(const std::string& workspace, const std::string& file) {
  const std::string root = DirName(file);
  std::vector<std::string> found;
  std::vector<std::string> pending = {file};
  std::set<std::string> seen;
  while (!pending.empty() && seen.size() < kMaxConfigs) {
    const std::string next = pending.back();
    pending.pop_back();
    if (!seen.insert(next).second) continue;
    const absl::StatusOr<TypeScriptConfig> config = LoadTypeScriptConfig(workspace, next);
    if (!config.ok() || !config->is_solution) found.push_back(next);
    if (!config.ok()) continue;
    for (const std::string& reference : config->references) {
      const bool own_project = BaseName(reference) == "tsconfig.json" && DirName(reference) != root;
      if (IsWithin(reference, root) && !own_project) pending.push_back(reference);
    }
  }
  // A solution of other projects: the compiler still reads the file itself.
  if (found.empty()) found.push_back(file);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace stile
