// Errors in documentation tests of Rust, from the output of cargo.
#ifndef STILE_VALIDATORS_DIAGNOSTICS_RUSTDOC_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_RUSTDOC_DIAGNOSTICS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// Text of a file by its path relative to the workspace; nullopt if there is none.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// The compiler's errors in examples of documentation, from what `cargo test --doc` prints of those
// that fail. rustdoc counts lines in the program that it makes of an example, and may be off by a
// few: the line of code that it prints is looked for around the line that it names, and then, as
// the only one, in the whole file and in those that it includes. An error whose code is not found
// (a macro makes it) has no line, and its message begins with the name of the example. `base_dir`
// is the root of the cargo workspace.
std::vector<Diagnostic> ParseRustdocExamples(absl::string_view output, absl::string_view base_dir,
                                             absl::string_view workspace, const FileReader& read);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_RUSTDOC_DIAGNOSTICS_H_
