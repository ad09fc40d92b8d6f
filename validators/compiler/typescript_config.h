#ifndef STILE_VALIDATORS_COMPILER_TYPESCRIPT_CONFIG_H_
#define STILE_VALIDATORS_COMPILER_TYPESCRIPT_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// What a tsconfig.json or jsconfig.json and the files that it extends say, as far as validation
// needs it. Paths are clean and relative to the workspace.
struct TypeScriptConfig {
  std::string file;
  bool lists_files = false;  // `files` anywhere in the chain
  bool has_include = false;  // `include` anywhere in the chain
  bool has_exclude = false;
  bool is_solution = false;  // `files: []`, no include: nothing but references
  bool allow_js = false;     // allowJs or checkJs
  bool composite = false;
  std::string root_dir;                 // rootDir; "" if not set or outside the workspace
  std::string out_dir;                  // outDir, absolute; "" if not set
  std::vector<std::string> references;  // the files named by its own `references`
  std::vector<std::string> extended;    // files of the workspace in its chain, without itself
};

// Reads `file` (relative to `workspace`). NotFound if there is none, InvalidArgument if it is no
// JSON (the compiler then says what is wrong with it). Bases that cannot be found are passed over.
absl::StatusOr<TypeScriptConfig> LoadTypeScriptConfig(const std::string& workspace,
                                                      const std::string& file);

// The configurations that together check the project at `root` by its `file`: this one, unless it
// is a solution, and those it refers to within the root that are no projects of their own (their
// name is not tsconfig.json, or they lie in the root itself). Unreadable ones are kept: the
// compiler reports them.
std::vector<std::string> ConfigsOfProject(const std::string& workspace, const std::string& file);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TYPESCRIPT_CONFIG_H_
