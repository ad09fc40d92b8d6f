#ifndef STILE_VALIDATORS_DIAGNOSTICS_GENERIC_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_GENERIC_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// "file:line[:column]: [severity:] message", "file(line[,column]): …" and "file: line N: …", for
// tools without a parser of their own. A line that names no severity becomes a note: only the exit
// status can tell what it is.
std::vector<Diagnostic> ParseGeneric(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_GENERIC_DIAGNOSTICS_H_
