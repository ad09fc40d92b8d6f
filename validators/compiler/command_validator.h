#ifndef STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_
#define STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/gate/validator.h"

namespace stile {

// A validator declared in YAML (`validators:` in stile.yaml, or a language file).
struct CommandValidatorSettings {
  std::string id;
  Level level = Level::kBuild;
  std::vector<std::string> command;  // argv; {root}, {state}, {files} are filled in
  std::vector<std::string>
      project_files;                    // globs: applies where one lies in the root; empty: always
  std::string diagnostics = "generic";  // name of a parser: "gcc", "tsc", "generic", …
  std::string install_hint;
  absl::Duration timeout = absl::Minutes(10);
};

// Runs the command in the project's root. {root} and {state} become absolute folders wherever they
// occur in a word; a word that is {files} becomes one word for each code file of the project,
// relative to its root. A program with a slash in its name is relative to the root.
std::unique_ptr<Validator> NewCommandValidator(CommandValidatorSettings settings);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_
