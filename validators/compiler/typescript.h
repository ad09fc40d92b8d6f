#ifndef STILE_VALIDATORS_COMPILER_TYPESCRIPT_H_
#define STILE_VALIDATORS_COMPILER_TYPESCRIPT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// "tsc": TypeScript, and JavaScript that a tsconfig.json or jsconfig.json takes in.
std::unique_ptr<Validator> NewTypeScriptValidator();

// What tsc says, commands added up.
struct TypeScriptFindings {
  std::vector<Diagnostic> diagnostics;
  int exit_code = 0;
  std::string output;
  std::vector<std::string> files_read;  // of the workspace, without node_modules, sorted
};
// Syntax of JavaScript files (relative to the workspace), without any project file. nullopt:
// already decided (no compiler, timeout…), see run->result().
absl::StatusOr<std::optional<TypeScriptFindings>> CheckFilesWithTypeScript(
    const ValidationRequest& request, const std::vector<std::string>& files, ValidationRun* run);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TYPESCRIPT_H_
