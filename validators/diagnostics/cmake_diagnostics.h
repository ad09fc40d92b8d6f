#ifndef STILE_VALIDATORS_DIAGNOSTICS_CMAKE_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_CMAKE_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// CMake's configure step: "CMake Error at sub/CMakeLists.txt:10 (f):" with its indented text. An
// error inside a module is placed at the nearest caller within the workspace.
std::vector<Diagnostic> ParseCMake(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_CMAKE_DIAGNOSTICS_H_
