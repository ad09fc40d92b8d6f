#ifndef STILE_VALIDATORS_DIAGNOSTICS_CARGO_JSON_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_CARGO_JSON_DIAGNOSTICS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// cargo --message-format=json and rustc --error-format=json, one object a line, and cargo's own
// plain errors ("error: …" with a manifest). A suggestion that rustc calls machine-applicable
// becomes a SuggestedFix if it is one replacement. `base_dir` is the folder that rustc ran in: the
// root of the cargo workspace.
std::vector<Diagnostic> ParseCargoJson(absl::string_view output, absl::string_view base_dir,
                                       absl::string_view workspace);

// What people read of one line of it: the compiler's own words; "" where there are none.
std::string ReadableCargoMessage(absl::string_view line);

// Whether cargo --message-format=json closed its output with the message that the build succeeded.
bool CargoSaysFinished(absl::string_view output);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_CARGO_JSON_DIAGNOSTICS_H_
