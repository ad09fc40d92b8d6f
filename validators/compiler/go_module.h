#ifndef STILE_VALIDATORS_COMPILER_GO_MODULE_H_
#define STILE_VALIDATORS_COMPILER_GO_MODULE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// What go.mod says, as far as validation needs it.
struct GoModule {
  std::string path;                   // "example.com/m"
  std::string go_version;             // "1.19", "1.24.0"; "" without a directive
  std::vector<std::string> required;  // module paths
  std::vector<std::string> local;     // folders of `replace x => ./y`, as written
};

// Reads go.mod; what it does not understand it passes over (go itself complains).
GoModule ParseGoMod(absl::string_view text);
// Folders of the `use` directives of go.work, as written.
std::vector<std::string> ParseGoWork(absl::string_view text);

// The go program on the PATH.
Toolchain FindGo(const Environment& environment, ProcessRunner* runner);

// Variables for every go command of `project`: no settings from `go env -w`, no downloaded
// toolchains, GOWORK=off where go.work does not name the module.
Environment GoVariables(const Project& project);

// Roots of the modules in the workspace that this one is built with: replaced by a local folder, or
// required and named in go.work.
std::vector<std::string> GoDependencies(const Project& project);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_GO_MODULE_H_
