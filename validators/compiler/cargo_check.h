#ifndef STILE_VALIDATORS_COMPILER_CARGO_CHECK_H_
#define STILE_VALIDATORS_COMPILER_CARGO_CHECK_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "cargo-check": `cargo check --all-targets` for a folder with a Cargo.toml. The target directory
// is the validator's own; Cargo.lock may be written, as cargo insists on it.
std::unique_ptr<Validator> NewCargoCheckValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_CARGO_CHECK_H_
