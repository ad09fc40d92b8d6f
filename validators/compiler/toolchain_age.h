// Says that a toolchain is older than the project asks for, in place of the errors that follow.
#ifndef STILE_VALIDATORS_COMPILER_TOOLCHAIN_AGE_H_
#define STILE_VALIDATORS_COMPILER_TOOLCHAIN_AGE_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// "1.21.3", "go1.19.8 linux/amd64", ">=3.12" by their first number; missing parts count as 0. True
// if `have` is older than `wanted`; false where one of them has no number.
bool IsOlder(absl::string_view have, absl::string_view wanted);

// The version that a requirement asks for at least, if `have` is older than every alternative of
// it; else "". Understands PEP 440 (">=3.12,<4", "~=3.12"), semver ("^22.1", "20.x || >=22") and
// plain versions. Upper bounds do not count.
std::string TooNew(absl::string_view requirement, absl::string_view have);

// `validator`, with its failures explained where the project asks for a newer toolchain than the
// installed one: go.mod, rust-version, requires-python, engines.node, TargetFramework, the release
// of Maven and Gradle builds. If the toolchain cannot build the project at all, the verdict becomes
// infra_error, with the tool's own words as its output; else fail stays, and its message begins
// with the explanation. Validators without such a rule come back as they are.
std::unique_ptr<Validator> NewToolchainAgeValidator(std::unique_ptr<Validator> validator);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TOOLCHAIN_AGE_H_
