#include "tools/index/module_map.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/json_comments.h"
#include "runtime/workspace/disk_stamp.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kMaxSettingsBytes = size_t{1} << 20;
constexpr int kMaxConfigs = 50;  // that one names, directly or by others

using Names = ModuleMap::Names;

bool IsOutside(absl::string_view path) {
  return path == ".." || absl::StartsWith(path, "../") || absl::StartsWith(path, "/");
}

// How files of JavaScript and TypeScript end, each with the kind of module that it is.
struct Extension {
  absl::string_view text;
  absl::string_view kind;
  bool is_made = false;  // of TypeScript, or declares what JavaScript defines
};
constexpr std::array<Extension, 11> kExtensions = {{{".d.ts", "js", true},
                                                    {".d.mts", "mjs", true},
                                                    {".d.cts", "cjs", true},
                                                    {".ts", "js", true},
                                                    {".tsx", "js", true},
                                                    {".mts", "mjs", true},
                                                    {".cts", "cjs", true},
                                                    {".js", "js"},
                                                    {".jsx", "js"},
                                                    {".mjs", "mjs"},
                                                    {".cjs", "cjs"}}};

// Null: the path has none of them.
const Extension* TakeExtension(absl::string_view* path) {
  for (const Extension& extension : kExtensions) {
    if (absl::ConsumeSuffix(path, extension.text)) return &extension;
  }
  return nullptr;
}

// "shop" of "shop/orders", "@acme/shop" of "@acme/shop/orders".
std::string PackageIn(absl::string_view written) {
  size_t end = written.find('/');
  if (absl::StartsWith(written, "@") && end != absl::string_view::npos) {
    end = written.find('/', end + 1);
  }
  return std::string(written.substr(0, end));
}

// The paths in a value of `imports` or `exports`: a text, a list, or an object of conditions.
void AddPaths(const Json& value, const std::string& folder, std::vector<std::string>* paths) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (absl::StartsWith(text, "./")) paths->push_back(CleanPath(JoinPath(folder, text)));
  } else if (value.is_structured()) {
    for (const Json& inner : value) AddPaths(inner, folder, paths);
  }
}

Names ImportsOf(const Json& manifest, const std::string& folder) {
  Names names;
  const Json* const all = JsonMember(manifest, "imports");
  if (all == nullptr || !all->is_object()) return names;
  for (const auto& [name, value] : all->items()) {
    std::vector<std::string> paths;
    AddPaths(value, folder, &paths);
    names.emplace_back(name, std::move(paths));
  }
  return names;
}

// The paths of the name itself, or else of the pattern with the longest text before its `*`;
// nullopt: neither is there.
std::optional<std::vector<std::string>> PathsBehind(const Names& names, absl::string_view written) {
  const std::vector<std::string>* paths = nullptr;
  absl::string_view middle;
  size_t longest = 0;
  for (const auto& [name, targets] : names) {
    if (name == written) return targets;
    const size_t star = name.find('*');
    if (star == std::string::npos || (paths != nullptr && star < longest)) continue;
    absl::string_view rest = written;
    const bool is_it = absl::ConsumePrefix(&rest, name.substr(0, star)) &&
                       absl::ConsumeSuffix(&rest, name.substr(star + 1));
    if (!is_it) continue;
    paths = &targets;
    middle = rest;
    longest = star;
  }
  if (paths == nullptr) return std::nullopt;
  std::vector<std::string> found;
  for (const std::string& path : *paths) {
    found.push_back(CleanPath(absl::StrReplaceAll(path, {{"*", middle}})));
  }
  return found;
}

}  // namespace

bool IsRelativeModule(absl::string_view written) {
  return written == "." || written == ".." || absl::StartsWith(written, "./") ||
         absl::StartsWith(written, "../");
}

bool AreOneModule(absl::string_view a, absl::string_view b) {
  if (a == b) return true;
  const Extension* const one = TakeExtension(&a);
  const Extension* const other = TakeExtension(&b);
  return one != nullptr && other != nullptr && a == b && one->kind == other->kind &&
         (one->is_made || other->is_made);
}

std::vector<std::string> ModulePaths(const std::string& path, bool in_typescript) {
  std::vector<std::string> typed;
  std::vector<std::string> plain;
  const auto add = [](std::vector<std::string>* to, absl::string_view stem,
                      std::initializer_list<absl::string_view> extensions) {
    for (const absl::string_view extension : extensions)
      to->push_back(absl::StrCat(stem, extension));
  };
  absl::string_view stem = path;
  if (absl::ConsumeSuffix(&stem, ".mjs")) {
    add(&typed, stem, {".mts", ".d.mts"});
    plain = {path};
  } else if (absl::ConsumeSuffix(&stem, ".cjs")) {
    add(&typed, stem, {".cts", ".d.cts"});
    plain = {path};
  } else if (absl::ConsumeSuffix(&stem, ".js") || absl::ConsumeSuffix(&stem, ".jsx")) {
    add(&typed, stem, {".ts", ".tsx", ".d.ts"});
    plain = {path};
  } else {
    plain = {path};
    for (const std::string& base : {path, JoinPath(path, "index")}) {
      add(&typed, base, {".ts", ".tsx", ".d.ts"});
      add(&plain, base, {".js", ".jsx", ".mjs", ".cjs"});
    }
  }
  std::vector<std::string>& first = in_typescript ? typed : plain;
  std::vector<std::string>& second = in_typescript ? plain : typed;
  first.insert(first.end(), second.begin(), second.end());
  return std::move(first);
}

std::optional<std::string> ModuleMap::FileOf(const SourceFile& importer,
                                             const std::string& written) {
  const std::vector<std::string>& files = FilesOf(importer, written);
  return files.size() == 1 ? std::optional(files[0]) : std::nullopt;
}

ModuleMap::Answer ModuleMap::Means(const SourceFile& importer, const std::string& written,
                                   const std::string& path) {
  const std::vector<std::string>& files = FilesOf(importer, written);
  const bool is_among = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return AreOneModule(file, path);
  });
  if (is_among) return files.size() == 1 ? Answer::kYes : Answer::kPerhaps;
  if (!files.empty() || IsRelativeModule(written)) return Answer::kNo;
  // A build makes the file that `imports` names.
  const bool is_own =
      absl::StartsWith(written, "#")
          ? ManifestOf(path) != nullptr && ManifestOf(path) == ManifestOf(importer.path)
          : IsOfPackage(written, path);
  return is_own ? Answer::kPerhaps : Answer::kNo;
}

bool ModuleMap::IsOfPackage(const std::string& written, const std::string& path) {
  const std::string name = PackageNameOf(path);
  return !name.empty() && (written == name || absl::StartsWith(written, absl::StrCat(name, "/")));
}

bool ModuleMap::IsForeign(const SourceFile& importer, const std::string& written,
                          const std::set<std::string>& own) {
  if (absl::StartsWith(written, "node:")) return true;
  if (IsRelativeModule(written) || absl::StartsWith(written, "#") ||
      !FilesOf(importer, written).empty()) {
    return false;
  }
  const std::string package = PackageIn(written);
  const Names& paths = ConfigOf(importer.path).paths;
  const bool is_mapped = std::any_of(paths.begin(), paths.end(), [&](const auto& entry) {
    return entry.first != "*" && PathsBehind({entry}, written).has_value();
  });
  if (is_mapped || own.count(package) > 0) return false;
  const Manifest* const manifest = ManifestOf(importer.path);
  for (const char* key :
       {"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"}) {
    const Json* const all = manifest == nullptr ? nullptr : JsonMember(manifest->json, key);
    const Json* const version = all == nullptr ? nullptr : JsonMember(*all, package);
    if (version != nullptr) return !MayBeOfWorkspace(importer.path, package, *version);
  }
  return !absl::StrContains(written, '/');  // others may be names that a bundler maps
}

bool ModuleMap::MayBeOfWorkspace(const std::string& importer, const std::string& package,
                                 const Json& version) {
  for (const char* protocol : {"workspace:", "file:", "link:", "portal:"}) {
    if (version.is_string() && absl::StartsWith(version.get<std::string>(), protocol)) return true;
  }
  bool has_packages = false;
  for (std::string folder = DirName(importer);; folder = DirName(folder)) {
    const auto installed =
        RealPath(JoinPath(workspace_, JoinPath(folder, JoinPath("node_modules", package))));
    // A package of the workspace is a link to its folder; pnpm has links for all.
    if (installed.ok()) {
      const auto root = RealPath(workspace_);
      absl::string_view inside = *installed;
      return root.ok() && absl::ConsumePrefix(&inside, absl::StrCat(*root, "/")) &&
             !absl::StrContains(absl::StrCat("/", inside), "/node_modules/");
    }
    const Manifest* const manifest = ManifestOf(JoinPath(folder, "package.json"));
    has_packages = has_packages || (manifest != nullptr && manifest->json.contains("workspaces")) ||
                   Exists(CleanPath(JoinPath(folder, "pnpm-workspace.yaml"))) ||
                   Exists(CleanPath(JoinPath(folder, "lerna.json")));
    if (folder.empty() || folder == "." || folder == "/") return has_packages;
  }
}

std::vector<std::string> ModuleMap::AliasesOf(const std::string& path) {
  std::vector<std::string> aliases;
  const auto add = [&](const Names& names) {
    for (const auto& [name, paths] : names) {
      const bool is_it =
          !absl::StrContains(name, "*") &&
          std::any_of(paths.begin(), paths.end(), [&](const std::string& target) {
            return AreOneModule(target, path) || AreOneModule(JoinPath(target, "index"), path);
          });
      if (is_it) aliases.push_back(name);
    }
  };
  if (const Manifest* manifest = ManifestOf(path)) add(manifest->imports);
  add(ConfigOf(path).paths);
  return aliases;
}

std::string ModuleMap::PackageNameOf(const std::string& path) {
  const Manifest* const manifest = ManifestOf(path);
  return manifest == nullptr ? "" : JsonString(manifest->json, "name").value_or("");
}

const std::vector<std::string>& ModuleMap::FilesOf(const SourceFile& importer,
                                                   const std::string& written) {
  const auto [known, is_new] = files_.try_emplace({importer.path, written});
  if (is_new) known->second = FindFiles(importer, written);
  return known->second;
}

std::vector<std::string> ModuleMap::FindFiles(const SourceFile& importer,
                                              const std::string& written) {
  std::vector<std::string> files;
  const auto add = [&](const std::optional<std::string>& file) {
    if (file.has_value() && std::find(files.begin(), files.end(), *file) == files.end()) {
      files.push_back(*file);
    }
  };
  if (IsRelativeModule(written)) {
    const bool is_folder = absl::EndsWith(written, "/") || absl::EndsWith(written, ".");
    add(FirstFile(importer, CleanPath(JoinPath(DirName(importer.path), written)), is_folder));
    return files;
  }
  if (absl::StartsWith(written, "#")) {
    const Manifest* const manifest = ManifestOf(importer.path);
    if (manifest == nullptr) return files;
    const auto paths = PathsBehind(manifest->imports, written);
    for (const std::string& path : paths.value_or(std::vector<std::string>())) {
      add(FirstFile(importer, path));
    }
    if (paths.has_value()) return files;
  }
  const Config& config = ConfigOf(importer.path);
  const auto paths = PathsBehind(config.paths, written);
  for (const std::string& path : paths.value_or(std::vector<std::string>())) {
    if (files.empty()) add(FirstFile(importer, path));  // the first of these, says TypeScript
  }
  if (files.empty() && config.base_url.has_value()) {
    add(FirstFile(importer, CleanPath(JoinPath(*config.base_url, written))));
  }
  return files;
}

std::optional<std::string> ModuleMap::FirstFile(const SourceFile& importer, const std::string& path,
                                                bool is_folder) {
  const bool in_typescript = LanguageBackendOf(importer.language.id).naming.has_declaration_files;
  for (std::string& candidate : ModulePaths(path, in_typescript)) {
    if (is_folder && DirName(candidate) != path) continue;
    // The path by itself may be a folder.
    absl::string_view stem = path;
    const bool is_file = candidate != path || TakeExtension(&stem) != nullptr;
    if (is_file && !IsOutside(candidate) && Exists(candidate)) return std::move(candidate);
  }
  return std::nullopt;
}

const ModuleMap::Manifest* ModuleMap::ManifestOf(const std::string& path) {
  for (std::string folder = DirName(path);; folder = DirName(folder)) {
    const auto [known, is_new] = manifests_.try_emplace(folder);
    if (is_new) {
      Json json = ReadJson(JoinPath(folder, "package.json"));
      if (json.is_object()) {
        Names imports = ImportsOf(json, folder);
        known->second = Manifest{folder, std::move(json), std::move(imports)};
      }
    }
    if (known->second.has_value()) return &*known->second;
    if (folder.empty() || folder == "." || folder == "/") return nullptr;
  }
}

const ModuleMap::Config& ModuleMap::ConfigOf(const std::string& path) {
  static const Config* const kNone = new Config();
  for (std::string folder = DirName(path);; folder = DirName(folder)) {
    const auto [known, is_new] = configs_.try_emplace(folder);
    if (is_new) {
      int budget = kMaxConfigs;
      for (const char* name : {"tsconfig.json", "jsconfig.json"}) {
        const std::string file = CleanPath(JoinPath(folder, name));
        const std::string absolute = JoinPath(workspace_, file);
        if (known->second.has_value() || !FileExists(absolute) || DirectoryExists(absolute)) {
          continue;
        }
        known->second = ReadConfig(file, &budget);
        const std::string base = known->second->base_url.value_or(known->second->paths_folder);
        for (auto& [written, targets] : known->second->paths) {
          for (std::string& target : targets) target = CleanPath(JoinPath(base, target));
        }
      }
    }
    if (known->second.has_value()) return *known->second;
    if (folder.empty() || folder == "." || folder == "/") return *kNone;
  }
}

// With the settings of those that it extends, the last of which counts. One that names no files,
// and refers to others, has theirs.
ModuleMap::Config ModuleMap::ReadConfig(const std::string& path, int* budget) const {
  Config config;
  if (--*budget < 0) return config;
  const Json json = ReadJson(path);
  if (!json.is_object()) return config;
  const auto read = [&](const std::optional<std::string>& written) -> Config {
    if (!written.has_value() || !IsRelativeModule(*written)) return {};
    const std::string named = CleanPath(JoinPath(DirName(path), *written));
    if (IsOutside(named)) return {};
    for (const std::string& file :
         {named, absl::StrCat(named, ".json"), JoinPath(named, "tsconfig.json")}) {
      if (FileExists(JoinPath(workspace_, file)) && !DirectoryExists(JoinPath(workspace_, file))) {
        return ReadConfig(file, budget);
      }
    }
    return {};
  };
  const auto take = [&](Config other) {
    if (!other.paths.empty()) {
      config.paths = std::move(other.paths);
      config.paths_folder = std::move(other.paths_folder);
    }
    if (other.base_url.has_value()) config.base_url = std::move(other.base_url);
  };
  if (const auto one = JsonString(json, "extends")) take(read(one));
  if (const Json* const all = JsonMember(json, "extends"); all != nullptr && all->is_array()) {
    for (const Json& one : *all) {
      if (one.is_string()) take(read(one.get<std::string>()));
    }
  }
  const Json* const files = JsonMember(json, "files");
  const Json* const projects = JsonMember(json, "references");
  const bool names_no_files =
      files != nullptr && files->empty() && JsonMember(json, "include") == nullptr;
  if (names_no_files && projects != nullptr && projects->is_array()) {
    for (const Json& project : *projects) {
      if (!config.paths.empty()) break;
      // The settings of one project: `baseUrl` of another has no part in its paths.
      Config other = read(JsonString(project, "path"));
      if (!other.paths.empty()) {
        config = std::move(other);
      } else if (!config.base_url.has_value()) {
        config.base_url = std::move(other.base_url);
      }
    }
  }
  if (const Json* const options = JsonMember(json, "compilerOptions")) {
    config.Take(*options, DirName(path));
  }
  return config;
}

void ModuleMap::Config::Take(const Json& options, const std::string& folder) {
  if (const auto base = JsonString(options, "baseUrl")) {
    base_url = CleanPath(JoinPath(folder, *base));
  }
  const Json* const written = JsonMember(options, "paths");
  if (written == nullptr || !written->is_object()) return;
  paths.clear();
  paths_folder = folder;
  for (const auto& [name, targets] : written->items()) {
    std::vector<std::string> found;
    for (const Json& target : targets) {
      if (target.is_string()) found.push_back(target.get<std::string>());
    }
    paths.emplace_back(name, std::move(found));
  }
}

Json ModuleMap::ReadJson(const std::string& path) const {
  std::string text;
  const std::string absolute = JoinPath(workspace_, path);
  if (!ReadRegularFile(absolute, kMaxSettingsBytes, &text)) {
    // It may be a link to another file of the workspace.
    const auto root = RealPath(workspace_);
    const auto file = RealPath(absolute);
    const bool is_own = root.ok() && file.ok() && IsWithin(*file, *root);
    if (!is_own || !ReadRegularFile(*file, kMaxSettingsBytes, &text)) return nullptr;
  }
  return ParseJson(StripJsonComments(text)).value_or(Json());
}

bool ModuleMap::Exists(const std::string& path) {
  const auto [known, is_new] = exists_.try_emplace(path, false);
  DiskStamp stamp;
  if (is_new) known->second = DiskStampOf(JoinPath(workspace_, path), &stamp);
  return known->second;
}

}  // namespace stile
