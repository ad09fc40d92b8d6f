// Which file of the project a module's path means, in JavaScript and TypeScript.
#ifndef STILE_TOOLS_INDEX_MODULE_MAP_H_
#define STILE_TOOLS_INDEX_MODULE_MAP_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "tools/index/source_file.h"

namespace stile {

// The files that a path without settings can mean, in the order in which they are looked for, of
// TypeScript or of JavaScript: "order.js" may be written for order.ts, "order" for order/index.ts.
std::vector<std::string> ModulePaths(const std::string& path, bool in_typescript);

// "./order", "..": a path beside the importer.
bool IsRelativeModule(absl::string_view written);

// Whether two files are one module: the same file, a declaration file (`order.d.ts`) and its code,
// or JavaScript beside the TypeScript that it is made of.
bool AreOneModule(absl::string_view a, absl::string_view b);

// Reads the settings that give modules other names, each file once, when a path needs it: `name`,
// `imports` and dependencies of package.json (https://nodejs.org/api/packages.html), `paths` and
// `baseUrl` of tsconfig.json and jsconfig.json, also of those that they extend
// (https://www.typescriptlang.org/tsconfig/#paths). All paths are relative to the workspace.
// Settings that cannot be read, and settings in packages, count as empty. Not thread-safe.
class ModuleMap {
 public:
  // A name, or a pattern with a `*`, and the paths that it stands for.
  using Names = std::vector<std::pair<std::string, std::vector<std::string>>>;

  // The workspace is an absolute path.
  explicit ModuleMap(std::string workspace) : workspace_(std::move(workspace)) {}

  // The file that `written` means, in an import, an export or a call of `require` of the importer:
  // the first that exists. nullopt: a package, a file that is not there, or a name for which
  // conditions (`"node"`, `"default"`) choose among several files.
  std::optional<std::string> FileOf(const SourceFile& importer, const std::string& written);

  enum class Answer {
    kYes,
    kNo,
    // `written` names the package of the file, or conditions choose among the file and others.
    kPerhaps,
  };
  // Whether `written` means the module of the file.
  Answer Means(const SourceFile& importer, const std::string& written, const std::string& path);

  // Whether `written` names the package of the file, or something in it: "shop", "shop/orders".
  bool IsOfPackage(const std::string& written, const std::string& path);

  // Whether `written` is of no package of the project, and of none of its files: a module of Node,
  // a dependency that cannot be a package of the workspace, or a name without `/` that no setting
  // has. `own` are names of the project's packages.
  bool IsForeign(const SourceFile& importer, const std::string& written,
                 const std::set<std::string>& own);

  // Names without a `*` that package.json or tsconfig.json above the file give it: "#geometry" for
  // src/shapes.js.
  std::vector<std::string> AliasesOf(const std::string& path);

  // The name of the package that the path belongs to; "": it has none.
  std::string PackageNameOf(const std::string& path);

  // The nearest package.json in a folder above the path; null: there is none. Valid as long as
  // this object.
  struct Manifest {
    std::string folder;
    Json json;
    Names imports;
  };
  const Manifest* ManifestOf(const std::string& path);

 private:
  struct Config {
    Names paths;               // ReadConfig: targets as written; ConfigOf: paths of the workspace
    std::string paths_folder;  // of the file that sets them: without a base_url, they begin there
    std::optional<std::string> base_url;

    // The `compilerOptions` of a file in the folder, which count before those it extends.
    void Take(const Json& options, const std::string& folder);
  };
  // Those that exist; several only where conditions choose among them.
  const std::vector<std::string>& FilesOf(const SourceFile& importer, const std::string& written);
  std::vector<std::string> FindFiles(const SourceFile& importer, const std::string& written);
  std::optional<std::string> FirstFile(const SourceFile& importer, const std::string& path,
                                       bool is_folder = false);
  // The nearest tsconfig.json or jsconfig.json in a folder above the path.
  const Config& ConfigOf(const std::string& path);
  // Takes one of the budget for each file that it reads; empty where that is used up.
  Config ReadConfig(const std::string& path, int* budget) const;
  // Whether a dependency of this version may be another package of the project: by where it is
  // installed, or, if it is not, whether the project has several packages.
  bool MayBeOfWorkspace(const std::string& importer, const std::string& package,
                        const Json& version);
  Json ReadJson(const std::string& path) const;
  bool Exists(const std::string& path);

  const std::string workspace_;
  std::map<std::string, std::optional<Manifest>> manifests_;  // by folder
  std::map<std::string, std::optional<Config>> configs_;      // by folder
  std::map<std::string, bool> exists_;
  // By importer and path as written.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> files_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_MODULE_MAP_H_
