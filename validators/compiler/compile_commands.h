#ifndef STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_
#define STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// "compile-commands": the commands of a compile_commands.json in the root or in build/, each with
// -fsyntax-only in place of its output. Only gcc and clang by any of their usual names are run.
std::unique_ptr<Validator> NewCompileCommandsValidator();

// One entry of a compilation database.
struct CompileCommand {
  std::string file;                // as written: absolute, or relative to `directory`
  std::string directory;           // absolute; need not exist
  std::vector<std::string> words;  // the command, its program first; may be empty
};

// The entries of the database `text` (https://clang.llvm.org/docs/JSONCompilationDatabase.html),
// which lies in `folder`. InvalidArgument for what is no such database, or holds no commands.
absl::StatusOr<std::vector<CompileCommand>> ParseCompileCommands(absl::string_view text,
                                                                 const std::string& folder);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMPILE_COMMANDS_H_
