#ifndef STILE_VALIDATORS_COMPILER_RUSTC_H_
#define STILE_VALIDATORS_COMPILER_RUSTC_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "rustc": loose .rs files. Each that no other reads as a module is a crate of its own, a program
// if it has a main function, and is checked (with its tests, if it has any) without being linked.
std::unique_ptr<Validator> NewRustcValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_RUSTC_H_
