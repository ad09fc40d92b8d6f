// Validations of targets, and what their results mean for the run.
#ifndef STILE_RUNTIME_GATE_GATE_VALIDATION_H_
#define STILE_RUNTIME_GATE_GATE_VALIDATION_H_

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// See Gate::Validate.
absl::StatusOr<ValidationReport> ValidateSelected(GateState* gate,
                                                  const ValidateArguments& arguments);

// Validates one target. For a `question` failures leave no trace, and nothing is excused.
absl::StatusOr<ValidationResult> ValidateTarget(GateState* gate, const TargetKey& key,
                                                bool force_cold, bool question = false);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_VALIDATION_H_
