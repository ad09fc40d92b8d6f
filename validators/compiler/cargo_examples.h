// Examples in the documentation of Rust, compiled and not run.
#ifndef STILE_VALIDATORS_COMPILER_CARGO_EXAMPLES_H_
#define STILE_VALIDATORS_COMPILER_CARGO_EXAMPLES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"

namespace stile {

// See Validator::CheckExamples. rustdoc compiles each example and hands the program to a runner,
// which is `true` here: `--test-runtool` is stable since Rust 1.89, https://doc.rust-lang.org/
// rustdoc/command-line-arguments.html. An older one is no_validator.
absl::StatusOr<ValidationResult> CheckCargoExamples(const ValidationRequest& request,
                                                    const Toolchain& cargo,
                                                    const std::vector<DocExample>& examples);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_CARGO_EXAMPLES_H_
