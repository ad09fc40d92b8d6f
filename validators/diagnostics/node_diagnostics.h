#ifndef STILE_VALIDATORS_DIAGNOSTICS_NODE_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_NODE_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// An uncaught SyntaxError of node, as `node --check` prints it: place, source line, caret, message.
// Columns are bytes.
std::vector<Diagnostic> ParseNode(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_NODE_DIAGNOSTICS_H_
