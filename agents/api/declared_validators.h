// Which files declared validators judge.
#ifndef STILE_AGENTS_API_DECLARED_VALIDATORS_H_
#define STILE_AGENTS_API_DECLARED_VALIDATORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/language/language.h"
#include "validators/builtin_validators.h"

namespace stile {

// `known` and, for each validator with `files` or with project files alone, a language of the
// validator's id (Language::declared). A validator with `languages` is asked first by these.
// InvalidArgument, with file and line: a validator that judges nothing, a language that is not
// known, an id that is a language's.
absl::StatusOr<LanguageRegistry> AttachValidators(
    const LanguageRegistry& known, const std::vector<CommandValidatorSettings>& validators);

}  // namespace stile

#endif  // STILE_AGENTS_API_DECLARED_VALIDATORS_H_
