#ifndef STILE_VALIDATORS_COMPILER_PYTHON_TYPES_H_
#define STILE_VALIDATORS_COMPILER_PYTHON_TYPES_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "mypy" and "pyright": each judges the projects that configure it, and no others. A checker that
// is merely installed would reject code that was never typed.
std::unique_ptr<Validator> NewMypyValidator();
std::unique_ptr<Validator> NewPyrightValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_PYTHON_TYPES_H_
