#ifndef STILE_VALIDATORS_TEST_RUNNER_CARGO_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_CARGO_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "cargo-test": `cargo test --no-fail-fast` for a folder with a Cargo.toml.
std::unique_ptr<Validator> NewCargoTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_CARGO_TEST_H_
