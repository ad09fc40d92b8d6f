// The commands by which a project with a Makefile compiles its files, found without compiling.
#ifndef STILE_TOOLS_RESOLVE_MAKE_COMMANDS_H_
#define STILE_TOOLS_RESOLVE_MAKE_COMMANDS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// Reads the output of `make -n -B -w` (LC_ALL=C) in `root`, absolute. Returns the array of a
// compile_commands.json: one entry for each file of C or C++ that is compiled and exists, by the
// first command that compiles it. Substitutions of the shell are left out of the commands, since
// only a build would run them. Files outside of `root` have no entry, nor has what comes after
// 50,000 entries or 64 MiB of arguments. https://clang.llvm.org/docs/JSONCompilationDatabase.html
Json CompileCommandsOfMake(absl::string_view output, const std::string& root);

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_MAKE_COMMANDS_H_
