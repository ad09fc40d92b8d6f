#ifndef STILE_VALIDATORS_DIAGNOSTICS_PYTHON_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_PYTHON_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// mypy with or without columns: "a.py:7:12: error: Incompatible …  [return-value]". Columns are
// bytes. What mypy says about its configuration file is a warning: only the exit status tells
// whether it went on.
std::vector<Diagnostic> ParseMypy(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace);

// pyright --outputjson. Columns count UTF-16 units. Words before or after the JSON value are passed
// over.
std::vector<Diagnostic> ParsePyright(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace);

// One JSON object a line, as validators/compiler/python_compile writes them: {"file", "line",
// "column", "severity", "code", "message"}. Columns count code points.
std::vector<Diagnostic> ParsePyCompile(absl::string_view output, absl::string_view base_dir,
                                       absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_PYTHON_DIAGNOSTICS_H_
