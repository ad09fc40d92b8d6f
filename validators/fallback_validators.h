// Validators for languages that name none.
#ifndef STILE_VALIDATORS_FALLBACK_VALIDATORS_H_
#define STILE_VALIDATORS_FALLBACK_VALIDATORS_H_

#include <string>
#include <vector>

namespace stile {

// Ids of built-in validators that judge code of any language at level build, in the order in which
// they are asked: the build scripts that a project may declare.
std::vector<std::string> FallbackValidatorIds();

}  // namespace stile

#endif  // STILE_VALIDATORS_FALLBACK_VALIDATORS_H_
