// Validators whose command is declared in YAML.
#ifndef STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_
#define STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_

#include <memory>

#include "runtime/validation/validation_settings.h"
#include "runtime/validation/validator.h"

namespace stile {

// Runs the command in the project's root. {root} and {state} become absolute folders wherever they
// occur in a word; a word that is {files} becomes one word for each code file of the project,
// relative to its root. With `each`, the command runs once for each file, and {files} stands for
// the file wherever it occurs in a word; all failures are reported. Where {files} stands for no
// file, there is nothing to judge, and no command runs. A program with a slash in its name is
// relative to the root.
//
// Files of the workspace that the command names are pinned (Validator::scripts), but for those that
// are judged: names of code files, unless an interpreter runs the file.
std::unique_ptr<Validator> NewCommandValidator(CommandValidatorSettings settings);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_
