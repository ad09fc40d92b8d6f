#ifndef STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_
#define STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/gate/validator.h"

namespace stile {

// "compile-commands": the commands of a compile_commands.json in the root or in build/, each with
// -fsyntax-only in place of its output. Only gcc and clang by any of their usual names are run.
std::unique_ptr<Validator> NewCompileCommandsValidator();

// The words of a command line in the quoting of a POSIX shell, without any expansion.
// InvalidArgument for an open quote.
absl::StatusOr<std::vector<std::string>> SplitShellWords(absl::string_view command);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_
