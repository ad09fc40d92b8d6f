// One run of a validator, with what it read.
#ifndef STILE_RUNTIME_GATE_GATE_VALIDATOR_RUN_H_
#define STILE_RUNTIME_GATE_GATE_VALIDATOR_RUN_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

struct ValidatorRun {
  ValidationResult result;
  std::optional<Observation> observed;  // nullopt when the kernel does not allow observation
  ReadSet read;
  // Files of `read` that may have changed after the validator read them.
  std::vector<std::string> unsettled;
  bool cold = false;
};

// What the validator of the target is asked, with its prepared state.
ValidationRequest RequestFor(const GateState& gate, const Target& target,
                             const ValidatorState& state,
                             const ValidatorState::Preparation& preparation);

// Runs the validator of the target on the workspace; `force_cold`: without its incremental state.
absl::StatusOr<ValidatorRun> RunValidator(GateState* gate, const Target& target, bool force_cold);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_VALIDATOR_RUN_H_
