// The build script of a project as its judge, for languages without a validator.
#ifndef STILE_VALIDATORS_COMPILER_BUILD_SCRIPT_H_
#define STILE_VALIDATORS_COMPILER_BUILD_SCRIPT_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/validation/validator.h"

namespace stile {

// Ids of NewBuildScriptValidators, in the order in which they are asked: `make`, `sh build.sh`, the
// script `build` of package.json. Languages that name no validator at level build get them.
std::vector<std::string> BuildScriptIds();

// Each applies where the project's root holds its file, and judges by the exit status: 0 passes, 1
// fails. The files that decide what is run are pinned (Validator::scripts): a run that changes one
// gets infra_error until the file is as it was.
std::vector<std::unique_ptr<Validator>> NewBuildScriptValidators();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_BUILD_SCRIPT_H_
