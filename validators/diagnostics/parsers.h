#ifndef STILE_VALIDATORS_DIAGNOSTICS_PARSERS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_PARSERS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// Reads the diagnostics out of a tool's output. Pure and tolerant: any bytes are an input, lines
// that say nothing are passed over. Linear in the size of `output`. Relative paths in the output
// are relative to `base_dir`; both folders are absolute and clean.
using DiagnosticsParser = std::vector<Diagnostic> (*)(absl::string_view output,
                                                      absl::string_view base_dir,
                                                      absl::string_view workspace);

// The parser of a format by the name that stile.yaml uses: "gcc", "msbuild", "tsc"…; null if
// unknown.
DiagnosticsParser FindDiagnosticsParser(absl::string_view name);

// The names, in the order of the table.
std::vector<std::string> DiagnosticsParserNames();

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_PARSERS_H_
