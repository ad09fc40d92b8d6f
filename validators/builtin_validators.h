#ifndef STILE_VALIDATORS_BUILTIN_VALIDATORS_H_
#define STILE_VALIDATORS_BUILTIN_VALIDATORS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/yaml.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_validator.h"

namespace stile {

// Reads the map under `validators:` (id → settings). Located errors for unknown keys.
absl::StatusOr<std::vector<CommandValidatorSettings>> ParseCommandValidators(const Yaml& yaml);

// Every built-in validator, then the declared ones (a declared one replaces a built-in of its id).
std::vector<std::unique_ptr<Validator>> NewBuiltinValidators(
    const std::vector<CommandValidatorSettings>& declared);

}  // namespace stile

#endif  // STILE_VALIDATORS_BUILTIN_VALIDATORS_H_
