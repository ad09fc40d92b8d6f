#ifndef STILE_VALIDATORS_COMPILER_CMAKE_BUILD_H_
#define STILE_VALIDATORS_COMPILER_CMAKE_BUILD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// "cmake": configures and builds all targets out of source, with Ninja where it is installed. A
// folder that another CMakeLists.txt adds is built from the outermost one.
std::unique_ptr<Validator> NewCMakeBuildValidator();

// For ctest as well: the absolute folder of the outermost CMakeLists.txt in the workspace whose
// add_subdirectory chain reaches the project's root (or that root), and the build itself, in
// state_dir/build.
std::string CMakeTopFolder(const Project& project);
Toolchain FindCMake(const Environment& environment, ProcessRunner* runner);
// cmake and the compilers that it may choose: what the state of a build depends on.
std::vector<Toolchain> CMakeTools(const Environment& environment, ProcessRunner* runner);
// Configures where files may have changed that, builds, and concludes `run`.
absl::StatusOr<ValidationResult> BuildWithCMake(const ValidationRequest& request,
                                                ValidationRun* run);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_CMAKE_BUILD_H_
