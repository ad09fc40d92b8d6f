#ifndef STILE_VALIDATORS_COMPILER_PYTHON_COMPILE_H_
#define STILE_VALIDATORS_COMPILER_PYTHON_COMPILE_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "py-compile": every file through the interpreter's own compiler, for projects without a type
// checker.
std::unique_ptr<Validator> NewPyCompileValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_PYTHON_COMPILE_H_
