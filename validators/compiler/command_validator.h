// Validators whose command is declared in YAML.
#ifndef STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_
#define STILE_VALIDATORS_COMPILER_COMMAND_VALIDATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/validation/validator.h"

namespace stile {

// A validator declared in YAML (`validators:` in stile.yaml). It judges `files`, or the code of
// `languages`, or the code of a language that names its id, or the folders with `project_files`.
struct CommandValidatorSettings {
  std::string id;
  Level level = Level::kBuild;
  std::vector<std::string> command;    // argv; {root}, {state}, {files} are filled in
  bool each = false;                   // one run for each of {files}
  std::vector<std::string> files;      // globs over paths in the workspace
  std::vector<std::string> languages;  // ids; asked before the validators that these name
  // Globs over file names: the folder of one is the root; empty: always applies.
  std::vector<std::string> project_files;
  bool network = false;                 // sandboxes let its commands fetch packages
  std::string diagnostics = "generic";  // name of a parser: "gcc", "tsc", "generic", …
  std::string install_hint;
  absl::Duration timeout = absl::Minutes(10);  // of a validation, however many runs it has
  std::string source;                          // "FILE:LINE: PATH", for messages
};

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
