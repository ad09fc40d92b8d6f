// When incremental state can be used, and what to do when it cannot.
#ifndef STILE_VALIDATORS_COMPILER_COLD_RETRY_H_
#define STILE_VALIDATORS_COMPILER_COLD_RETRY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"

namespace stile {

// Makes the state folder one of these programs: empties it unless it says that the same programs in
// the same versions filled it, and notes them in it. True if nothing of use was in it. After an
// upgrade, objects, caches and build trees of the old version say nothing about the new one, and
// not every tool notices by itself.
absl::StatusOr<bool> ClaimState(const std::string& state_dir, const std::vector<Toolchain>& tools);

// Runs one validation, and if it ends in infra_error on top of incremental state that may be the
// cause (crash, exit without diagnostics), wipes the state and runs it once more cold, within the
// same timeout. With request.cold, or where other versions of `tools` left the state, it is wiped
// first.
absl::StatusOr<ValidationResult> WithColdRetry(
    const ValidationRequest& request, const std::vector<Toolchain>& tools,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& validate);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COLD_RETRY_H_
