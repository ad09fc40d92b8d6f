#include "validators/integrity/shadowing_stubs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/ini_settings.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

using Paths = std::set<std::string>;

// One side of the changes.
struct Side {
  Paths paths;
  std::map<std::string, std::string> settings;  // texts of the files that may name stub folders
};

bool NamesStubFolders(absl::string_view path) {
  const std::string name = BaseName(path);
  return name == "mypy.ini" || name == ".mypy.ini" || name == "setup.cfg" ||
         name == "pyproject.toml" || name == "pyrightconfig.json";
}

bool IsTypeScriptSettings(absl::string_view path) {
  return GlobMatch("{tsconfig,jsconfig}*.json", path);
}

Json RelaxedJson(absl::string_view text) {
  return ParseJson(StripJsonComments(text)).value_or(Json::object());
}

Weakening Shadow(std::string path, std::string what) {
  return {Weakening::Weight::kGrave, std::move(path), 0, std::move(what), "module-shadowed"};
}

Side SideNow(const WorkspaceFiles& files, bool (*is_setting)(absl::string_view)) {
  Side side;
  for (std::string& path : files.Paths()) {
    if (is_setting(path)) {
      const absl::StatusOr<std::string> text = files.Read(path);
      if (text.ok()) side.settings[path] = *text;
    }
    side.paths.insert(std::move(path));
  }
  return side;
}

// As it was before the changes.
Side SideBefore(const Side& now, const std::vector<ContentPair>& changes,
                bool (*is_setting)(absl::string_view)) {
  Side side = now;
  for (const ContentPair& change : changes) {
    side.settings.erase(change.path);
    if (!change.before.has_value()) {
      side.paths.erase(change.path);
      continue;
    }
    side.paths.insert(change.path);
    if (is_setting(change.path)) side.settings[change.path] = *change.before;
  }
  return side;
}

// ---- Python ----

// Folders that `value` names, seen from the settings file. Lists of JSON, TOML and INI alike.
void AddFolders(const std::string& file, absl::string_view value, Paths* folders) {
  const std::string spelled = absl::StrReplaceAll(
      value, {{"$MYPY_CONFIG_FILE_DIR", "."}, {"${MYPY_CONFIG_FILE_DIR}", "."}, {":", " "}});
  for (const std::string& word : SettingWords(spelled)) {
    folders->insert(CleanPath(JoinPath(DirName(file), word)));
  }
}

Paths NamedFolders(const Side& side) {
  Paths folders;
  for (const auto& [file, text] : side.settings) {
    if (absl::EndsWith(file, ".json")) {
      const Json json = RelaxedJson(text);
      for (const char* key : {"stubPath", "extraPaths"}) {
        const Json* value = JsonMember(json, key);
        if (value != nullptr) AddFolders(file, DumpJson(*value), &folders);
      }
      continue;
    }
    const bool is_toml = absl::EndsWith(file, ".toml");
    for (const IniSetting& setting :
         IniSettings(text, is_toml ? SettingsSyntax::kToml : SettingsSyntax::kIni)) {
      if (setting.key == "mypy_path" || setting.key == "stubPath" || setting.key == "extraPaths") {
        AddFolders(file, setting.value, &folders);
      }
    }
  }
  return folders;
}

// The folders above `path` in which a checker looks for stubs, each with a '/' behind it.
std::vector<std::string> StubFoldersAbove(const std::string& path, const Paths& named) {
  std::vector<std::string> above;
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string folder = path.substr(0, at);
    const std::string name = BaseName(folder);
    if (name == "typings" || name == "stubs" || named.count(folder) > 0) {
      above.push_back(absl::StrCat(folder, "/"));
    } else if (absl::EndsWith(name, "-stubs")) {  // holds the package of that name
      const std::string parent = DirName(folder);
      above.push_back(parent == "." ? "" : absl::StrCat(parent, "/"));
    }
  }
  return above;
}

// Modules of the workspace by their last component: "price.py" → "src/shop/price.py".
using Modules = std::multimap<std::string, std::string>;

// The module that is imported by the dotted name of `tail` ("shop/price.py"), below whatever folder
// that is not itself a package.
std::optional<std::string> ModuleOf(const std::string& tail, const std::string& stub,
                                    const Side& side, const Modules& modules) {
  const auto range = modules.equal_range(BaseName(tail));
  for (auto found = range.first; found != range.second; ++found) {
    const std::string& module = found->second;
    if (module == stub || side.paths.count(module) == 0) continue;
    if (module == tail) return module;
    if (!absl::EndsWith(module, absl::StrCat("/", tail))) continue;
    const std::string root = module.substr(0, module.size() - tail.size());
    if (side.paths.count(absl::StrCat(root, "__init__.py")) == 0) return module;
  }
  return std::nullopt;
}

// Stub → the module that it shadows.
std::map<std::string, std::string> PythonShadows(const Side& side) {
  Modules modules;
  for (const std::string& path : side.paths) {
    if (absl::EndsWith(path, ".py")) modules.emplace(BaseName(path), path);
  }
  const Paths named = NamedFolders(side);
  std::map<std::string, std::string> shadows;
  for (const std::string& path : side.paths) {
    if (!absl::EndsWith(path, ".pyi")) continue;
    const std::string beside = path.substr(0, path.size() - 1);
    if (side.paths.count(beside) > 0) {
      shadows[path] = beside;
      continue;
    }
    for (const std::string& folder : StubFoldersAbove(path, named)) {
      const std::string tail =
          absl::StrReplaceAll(beside.substr(folder.size()), {{"-stubs/", "/"}});
      const std::optional<std::string> module = ModuleOf(tail, path, side, modules);
      if (module.has_value()) shadows[path] = *module;
    }
  }
  return shadows;
}

void ComparePython(const std::vector<ContentPair>& changes, const WorkspaceFiles& files,
                   std::vector<Weakening>* result) {
  const Side now = SideNow(files, NamesStubFolders);
  const std::map<std::string, std::string> shadows = PythonShadows(now);
  if (shadows.empty()) return;
  const Side side_before = SideBefore(now, changes, NamesStubFolders);
  const std::map<std::string, std::string> before = PythonShadows(side_before);
  Paths moved;  // names of stubs that went, with their modules
  for (const auto& [stub, module] : before) {
    if (now.paths.count(stub) == 0 && now.paths.count(module) == 0) moved.insert(BaseName(stub));
  }
  for (const auto& [stub, module] : shadows) {
    if (before.count(stub) > 0 || moved.count(BaseName(stub)) > 0) continue;
    result->push_back(Shadow(
        stub, absl::StrCat("checkers read this stub instead of ", ToUtf8(module),
                           ", which is then not checked against its use; write the types there")));
  }
}

// ---- TypeScript ----

constexpr std::pair<absl::string_view, absl::string_view> kDeclarations[] = {
    {".d.ts", ".ts .tsx .js .jsx"}, {".d.mts", ".mts .mjs"}, {".d.cts", ".cts .cjs"}};

// Without the extension of a declaration; "" for other files.
std::string DeclaredStem(const std::string& path) {
  for (const auto& [declaration, sources] : kDeclarations) {
    if (absl::EndsWith(path, declaration)) return path.substr(0, path.size() - declaration.size());
  }
  return "";
}

// The source of the same stem beside a declaration.
std::optional<std::string> SourceBeside(const std::string& path, const Paths& paths) {
  for (const auto& [declaration, sources] : kDeclarations) {
    if (!absl::EndsWith(path, declaration)) continue;
    const std::string stem = path.substr(0, path.size() - declaration.size());
    for (const absl::string_view extension : absl::StrSplit(sources, ' ')) {
      const std::string source = absl::StrCat(stem, extension);
      if (paths.count(source) > 0) return source;
    }
  }
  return std::nullopt;
}

void CompareDeclarations(const std::vector<ContentPair>& changes, const Side& now,
                         const Side& before, std::vector<Weakening>* result) {
  Paths moved;
  for (const ContentPair& change : changes) {
    if (change.after.has_value() || !change.before.has_value()) continue;
    const std::optional<std::string> source = SourceBeside(change.path, before.paths);
    if (source.has_value() && now.paths.count(*source) == 0) moved.insert(BaseName(change.path));
  }
  for (const ContentPair& change : changes) {
    if (!change.after.has_value() || moved.count(BaseName(change.path)) > 0) continue;
    const std::optional<std::string> source = SourceBeside(change.path, now.paths);
    if (!source.has_value()) continue;
    if (change.before.has_value() && SourceBeside(change.path, before.paths) == source) continue;
    result->push_back(Shadow(
        change.path, absl::StrCat("this declaration stands for ", ToUtf8(*source),
                                  ", which is then not checked against its use; write the types "
                                  "there")));
  }
}

// Pattern → places, of compilerOptions.paths, seen from the workspace.
std::map<std::string, std::vector<std::string>> Mappings(const std::string& file,
                                                         absl::string_view text) {
  std::map<std::string, std::vector<std::string>> mappings;
  const Json json = RelaxedJson(text);
  const Json* options = JsonMember(json, "compilerOptions");
  const Json* map = options == nullptr ? nullptr : JsonMember(*options, "paths");
  if (map == nullptr || !map->is_object()) return mappings;
  const std::string base = JoinPath(DirName(file), JsonString(*options, "baseUrl").value_or("."));
  for (const auto& item : map->items()) {
    if (!item.value().is_array()) continue;
    for (const Json& place : item.value()) {
      if (!place.is_string()) continue;
      mappings[item.key()].push_back(CleanPath(JoinPath(base, place.get<std::string>())));
    }
  }
  return mappings;
}

// The declaration that a place of a mapping leads to and whose module is a source of the
// workspace.
std::optional<std::string> DeclarationAt(const std::string& place, bool was_mapped,
                                         const Side& now) {
  const size_t star = place.find('*');
  const std::string prefix = place.substr(0, star);
  Paths source_stems;
  for (const std::string& path : now.paths) {
    if (GlobMatch("*.{ts,tsx,js,jsx,mts,mjs,cts,cjs}", path) && DeclaredStem(path).empty()) {
      const std::string name = BaseName(path);
      const std::string stem = name.substr(0, name.rfind('.'));
      source_stems.insert(stem == "index" ? BaseName(DirName(path)) : stem);
    }
  }
  for (const std::string& path : now.paths) {
    const std::string stem = DeclaredStem(path);
    if (stem.empty() || absl::StrContains(path, "node_modules/")) continue;
    const bool leads_there = star == std::string::npos ? path == place || stem == place ||
                                                             stem == absl::StrCat(place, "/index")
                                                       : absl::StartsWith(path, prefix);
    const std::string name = BaseName(stem) == "index" ? BaseName(DirName(stem)) : BaseName(stem);
    if (leads_there && (was_mapped || source_stems.count(name) > 0)) return path;
  }
  return std::nullopt;
}

void CompareMappings(const ContentPair& change, const Side& now, std::vector<Weakening>* result) {
  if (!change.after.has_value()) return;
  const auto before = Mappings(change.path, change.before.value_or(""));
  for (const auto& [pattern, places] : Mappings(change.path, *change.after)) {
    const auto old = before.find(pattern);
    for (const std::string& place : places) {
      const bool was_mapped = old != before.end();
      if (was_mapped && std::count(old->second.begin(), old->second.end(), place) > 0) continue;
      const std::optional<std::string> declaration = DeclarationAt(place, was_mapped, now);
      if (!declaration.has_value()) continue;
      result->push_back(
          Shadow(change.path,
                 absl::StrCat("'paths' leads '", ToUtf8(pattern), "' to ", ToUtf8(*declaration),
                              ", so that the module itself is not checked")));
      break;
    }
  }
}

void CompareTypeScript(const std::vector<ContentPair>& changes, const WorkspaceFiles& files,
                       std::vector<Weakening>* result) {
  const Side now = SideNow(files, IsTypeScriptSettings);
  CompareDeclarations(changes, now, SideBefore(now, changes, IsTypeScriptSettings), result);
  for (const ContentPair& change : changes) {
    if (IsTypeScriptSettings(change.path)) CompareMappings(change, now, result);
  }
}

}  // namespace

std::vector<Weakening> CompareStubs(const std::vector<ContentPair>& changes,
                                    const WorkspaceFiles& files) {
  std::vector<Weakening> result;
  const auto any = [&](bool (*matters)(const std::string&)) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const ContentPair& change) { return matters(change.path); });
  };
  if (any([](const std::string& path) {
        return absl::EndsWith(path, ".pyi") || absl::EndsWith(path, ".py") ||
               NamesStubFolders(path);
      })) {
    ComparePython(changes, files, &result);
  }
  if (any([](const std::string& path) {
        return !DeclaredStem(path).empty() || IsTypeScriptSettings(path);
      })) {
    CompareTypeScript(changes, files, &result);
  }
  return result;
}

}  // namespace stile
