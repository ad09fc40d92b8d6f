// Which declaration a name means that is taken from, or handed on by, a module of ECMAScript.
#ifndef STILE_TOOLS_INDEX_ES_MODULES_H_
#define STILE_TOOLS_INDEX_ES_MODULES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/module_map.h"
#include "tools/index/symbol_query.h"

namespace stile {

// What the import and export statements of a file say, see SourceFile::ImportsAndExports.
struct ModuleStatements {
  struct Name {
    std::string name;    // in the module that it comes from; "default"; "*" for all of it
    std::string alias;   // in this file, or outside of it when it is exported
    std::string module;  // as written; "" when the file exports what is its own
    bool is_export = false;
    std::pair<uint32_t, uint32_t> name_range;   // both 0 where it is not written
    std::pair<uint32_t, uint32_t> alias_range;  // likewise
  };
  std::vector<Name> names;
  std::vector<std::string> all_of;                      // modules of `export * from`
  std::vector<std::pair<uint32_t, uint32_t>> exported;  // declarations
};

// Whether the key at the offset is one of the object that a module of CommonJS exports:
// `module.exports = {order}`.
bool IsCommonJsExport(const SourceFile& file, uint32_t offset);
// Likewise of a node within the key or its value, but in no object below it.
bool IsCommonJsExport(TSNode node, absl::string_view text);

// Where the line declares a name for other files only: `export { util as NAME } from "./a"`,
// `export * as NAME`; nullopt: it does not.
std::optional<uint32_t> ExportAliasOnLine(const SourceFile& file, absl::string_view name, int line);
// Whether the declaration is such a name.
bool IsExportAlias(const Declaration& declaration);

// Whether other files can take the outermost declaration around the symbol by its name; true for
// languages without such modules. A file without export statements may export by assignments.
bool IsExported(const Declaration& declaration);

// Whether the modules of the project that the file imports import it again, directly or by way
// of others; false where more than 500 files are in question.
bool IsInImportCycle(const SourceFile& file, CodeIndex* index);

// Follows modules of the project, through files that hand a name on, to the declarations of a name.
// Holds a reference to the resolution. Not thread-safe.
class ModuleResolver {
 public:
  // `name` is what the targets of the resolution, symbols outside of types, are called.
  ModuleResolver(const Resolution& resolution, std::string name)
      : resolution_(resolution), name_(std::move(name)), paths_(resolution.workspace) {}

  // Whether the name at `offset`, in an import or export, means a target: false if it means another
  // declaration or is an alias; nullopt if that cannot be told (packages, files that do not hold
  // the name, languages without modules, other places).
  std::optional<bool> IsTarget(const SourceFile& file, uint32_t offset);

  // Whether `ALIAS.NAME` at `offset` is a target, where the file has `import * as ALIAS`; nullopt
  // as above, and where the alias means no such import.
  std::optional<bool> IsModuleOfTarget(const SourceFile& file, absl::string_view alias,
                                       uint32_t offset);

 private:
  using Visited = std::set<std::pair<std::string, std::string>>;  // path and name
  std::optional<bool> Exported(const SourceFile& file, const std::string& name, Visited* visited);
  std::optional<bool> Local(const SourceFile& file, const std::string& name, Visited* visited);
  std::optional<bool> From(const SourceFile& importer, const std::string& module,
                           const std::string& name, Visited* visited);
  std::optional<bool> Declared(const SourceFile& file, const std::string& name) const;
  const SourceFile* Find(const SourceFile& importer, const std::string& module);

  const Resolution& resolution_;
  const std::string name_;
  ModuleMap paths_;
  std::map<absl::string_view, const SourceFile*> files_;  // by path; made when needed
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_ES_MODULES_H_
