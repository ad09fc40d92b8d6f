#ifndef STILE_VALIDATORS_DIAGNOSTICS_GCC_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_GCC_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// gcc, clang and GNU ld. Fix-its in the form of -fdiagnostics-parseable-fixits (or
// GCC_EXTRA_DIAGNOSTIC_OUTPUT=fixits-v1) become a SuggestedFix where a diagnostic has exactly one.
// Notes are kept for files of the workspace only. Columns are as in the output: bytes from clang
// and under -fdiagnostics-column-unit=byte, else of the display.
std::vector<Diagnostic> ParseGcc(absl::string_view output, absl::string_view base_dir,
                                 absl::string_view workspace);

// Whether clang wrote this, which counts columns in bytes, where gcc counts them as displayed: only
// clang ends with a count of its diagnostics.
bool IsClangOutput(absl::string_view output);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_GCC_DIAGNOSTICS_H_
