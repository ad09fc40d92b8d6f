#ifndef STILE_VALIDATORS_COMPILER_MAKE_BUILD_H_
#define STILE_VALIDATORS_COMPILER_MAKE_BUILD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// "make": the default target of a Makefile, in a scratch copy of the folder (of the whole
// workspace, where the makefile reaches above its folder).
std::unique_ptr<Validator> NewMakeBuildValidator();

// For make-test as well.
Toolchain FindMake(const Environment& environment, ProcessRunner* runner);
// make and the compilers that it may call: what the state of a build depends on.
std::vector<Toolchain> MakeTools(const Environment& environment, ProcessRunner* runner);
// The variables that change what make does, to be taken out of its environment.
const std::vector<std::string>& MakeVariables();
// The makefile that make would read in the project's root; "" if there is none.
std::string MakefileOf(const Project& project);
// Brings the scratch copy up to date, wiped first where an incremental build could be stale, and
// builds the default target; concludes `run`. `folder` becomes the copy of the project's root.
absl::StatusOr<ValidationResult> BuildWithMake(const ValidationRequest& request, ValidationRun* run,
                                               std::string* folder);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_MAKE_BUILD_H_
