#ifndef STILE_VALIDATORS_DIAGNOSTICS_TSC_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_TSC_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// tsc --pretty false, versions 3 to 7: "src/a.ts(1,14): error TS2322: …", "error TS18003: …", with
// indented lines that go on. Columns count UTF-16 units, as in the output.
std::vector<Diagnostic> ParseTsc(absl::string_view output, absl::string_view base_dir,
                                 absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_TSC_DIAGNOSTICS_H_
