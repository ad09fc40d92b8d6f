#ifndef STILE_VALIDATORS_COMPILER_CC_SYNTAX_H_
#define STILE_VALIDATORS_COMPILER_CC_SYNTAX_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "cc-syntax": C and C++ files without a build system, each checked by itself with `gcc
// -fsyntax-only` (or clang). The include path is the file's own folder, the project's root, and
// include/ there.
std::unique_ptr<Validator> NewCcSyntaxValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_CC_SYNTAX_H_
