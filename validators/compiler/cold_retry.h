#ifndef STILE_VALIDATORS_COMPILER_COLD_RETRY_H_
#define STILE_VALIDATORS_COMPILER_COLD_RETRY_H_

#include <functional>

#include "absl/status/statusor.h"
#include "runtime/gate/validator.h"

namespace stile {

// Runs one validation, and if it ends in infra_error on top of incremental state that may be the
// cause (crash, exit without diagnostics), wipes the state and runs it once more cold, within the
// same timeout. With request.cold the state is wiped first.
absl::StatusOr<ValidationResult> WithColdRetry(
    const ValidationRequest& request,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& validate);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COLD_RETRY_H_
