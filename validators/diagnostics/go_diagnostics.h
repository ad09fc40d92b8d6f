#ifndef STILE_VALIDATORS_DIAGNOSTICS_GO_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_GO_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// go build, go vet and go list: "lib/a.go:3:5: undefined: x", with "# package" headings, faults of
// go.mod and go.work, import cycles, packages without a main function.
std::vector<Diagnostic> ParseGo(absl::string_view output, absl::string_view base_dir,
                                absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_GO_DIAGNOSTICS_H_
