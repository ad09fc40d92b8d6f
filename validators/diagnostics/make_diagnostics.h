#ifndef STILE_VALIDATORS_DIAGNOSTICS_MAKE_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_MAKE_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// GNU make, with what the compilers wrote in between (see gcc_diagnostics.h). make's own lines are
// diagnostics only where they state a fault of the makefile, not where they repeat that a command
// failed.
std::vector<Diagnostic> ParseMake(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_MAKE_DIAGNOSTICS_H_
