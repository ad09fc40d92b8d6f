// What dotnet-build and dotnet-test share: which files to hand to dotnet, and how to run it so that
// nothing is written into the workspace and nothing survives the call.
#ifndef STILE_VALIDATORS_COMPILER_DOTNET_PROJECT_H_
#define STILE_VALIDATORS_COMPILER_DOTNET_PROJECT_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

Toolchain FindDotnet(const Environment& environment, ProcessRunner* runner);

// The solutions in the root folder, or, where there is none, its project files. Names within the
// root.
std::vector<std::string> DotnetEntries(const Project& project);

// `arguments` to dotnet, its own state below `state_dir`.
Command DotnetCommand(const Toolchain& dotnet, const std::vector<std::string>& arguments);

// The switches for building with all outputs in `state_dir`.
std::vector<std::string> DotnetBuildSwitches(const std::string& state_dir);

// Roots of the projects that solutions and ProjectReferences of the root name; nullopt where a
// reference is computed.
std::optional<std::vector<std::string>> DotnetDependencies(const Project& project);

// Whether the packages must be resolved anew: never done with this state, or a file that may decide
// it changed.
bool DotnetNeedsRestore(const ValidationRequest& request);
void RememberDotnetRestore(const ValidationRequest& request);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_DOTNET_PROJECT_H_
