// Files that declare for checkers of types what other files of the project define.
#ifndef STILE_TOOLS_REFACTOR_DECLARATION_FILES_H_
#define STILE_TOOLS_REFACTOR_DECLARATION_FILES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/index/module_map.h"
#include "tools/index/symbol_query.h"

namespace stile {

// A declaration file (`.d.ts`, `.pyi`) belongs to the code file beside it: `order.d.ts` to
// `order.js`. One of TypeScript also belongs to all JavaScript of its package if package.json names
// it, or a declaration file in a folder above it: `types`, `typings`, "types" in `exports`, see
// https://www.typescriptlang.org/docs/handbook/declaration-files/publishing.html. Reads each
// package.json once. Not thread-safe.
class DeclarationFiles {
 public:
  // The workspace is an absolute path.
  explicit DeclarationFiles(std::string workspace) : modules_(std::move(workspace)) {}

  // Whether two files, by their paths, are a declaration file and the code beside it.
  static bool AreBeside(absl::string_view declaring, absl::string_view code);

  struct Twins {
    // Of the same symbol as the declaration.
    std::vector<Declaration> same;
    // Several files of the package export the name: each may be meant.
    std::vector<Declaration> perhaps;
  };
  // For a declaration in code: those of declaration files. For one of a declaration file: those in
  // code. `all` are the declarations of the name.
  Twins Of(const Declaration& declaration, const std::vector<Declaration>& all);

  // Those of `all` that an import gives under another condition of `imports` in package.json:
  // `{"#channel": {"browser": "./browser.js", "default": "./node.js"}}`. A resolver sees one.
  std::vector<Declaration> OfOtherConditions(const Declaration& declaration,
                                             const std::vector<Declaration>& all);

  // Whether the name at `offset` is one that an import takes from the package of `path`, by the
  // name of the package: `import { order } from "shop"`.
  bool IsImportOfPackage(const SourceFile& file, uint32_t offset, const std::string& path);

 private:
  bool Declares(const std::string& declaring, const std::string& code);
  // Those with the declaration files that the package names.
  const std::set<std::string>& FoldersOf(const ModuleMap::Manifest& package);

  ModuleMap modules_;
  std::map<std::string, std::set<std::string>> folders_;  // by that of the package
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DECLARATION_FILES_H_
