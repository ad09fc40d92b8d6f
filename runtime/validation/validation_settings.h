// The level of a validation, and validators that YAML declares.
#ifndef STILE_RUNTIME_VALIDATION_VALIDATION_SETTINGS_H_
#define STILE_RUNTIME_VALIDATION_VALIDATION_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace stile {

// What a validation looks at: whether code builds, or whether its tests pass.
enum class Level { kBuild, kTest };
absl::string_view LevelName(Level level);  // "build", "test"

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

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_VALIDATION_SETTINGS_H_
