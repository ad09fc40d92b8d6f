// Modules of Go in one workspace.
#ifndef STILE_TOOLS_REFACTOR_GO_MODULES_H_
#define STILE_TOOLS_REFACTOR_GO_MODULES_H_

#include <map>
#include <string>
#include <utility>

#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Reads each go.mod and go.work once. Paths are relative to the workspace. Not thread-safe.
class GoModules {
 public:
  explicit GoModules(std::string workspace) : workspace_(std::move(workspace)) {}

  // Whether code at `user` is built with the code at `declared` as it stands in the workspace: both
  // are of one module, a go.work joins the modules, or that of `user` replaces the other by a
  // folder. Otherwise it is built with a published version, which has the old names.
  // https://go.dev/ref/mod#go-mod-file-replace
  bool IsBuiltWith(const std::string& user, const std::string& declared);

 private:
  struct Module {
    std::string folder;
    std::string path;  // as it is imported; "": there is none
    std::string text;
  };
  const Module& ModuleOf(const std::string& path);
  bool HasWorkFile(const std::string& path);

  const std::string workspace_;
  std::map<std::string, Module> modules_;  // by folder of the file that was asked about
};

// Takes files out of the resolution, and what they declare, that are built with a published version
// of the module that declares its first target.
void DropOtherVersions(Resolution* resolution, const CodeIndex& index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_GO_MODULES_H_
