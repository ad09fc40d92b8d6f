#ifndef STILE_VALIDATORS_COMPILER_DOTNET_BUILD_H_
#define STILE_VALIDATORS_COMPILER_DOTNET_BUILD_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "dotnet-build": `dotnet build` of the solutions or project files in a folder, with bin and obj
// outside the workspace (--artifacts-path, .NET 8 and newer) and without restore where nothing can
// have changed it.
std::unique_ptr<Validator> NewDotnetBuildValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_DOTNET_BUILD_H_
