#include "validators/fallback_validators.h"

#include "validators/compiler/build_script.h"

namespace stile {

std::vector<std::string> FallbackValidatorIds() { return BuildScriptIds(); }

}  // namespace stile
