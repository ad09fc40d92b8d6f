#ifndef STILE_VALIDATORS_DIAGNOSTICS_MSBUILD_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_MSBUILD_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// MSBuild, csc and NuGet: "src/A.cs(3,14): error CS1002: ; expected [/ws/App.csproj]". The summary
// that repeats them is dropped. Columns count UTF-16 units, as in the output.
std::vector<Diagnostic> ParseMsBuild(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_MSBUILD_DIAGNOSTICS_H_
