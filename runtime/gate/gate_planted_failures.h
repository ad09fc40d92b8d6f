// Whether tests fail where a failure was planted into them.
#ifndef STILE_RUNTIME_GATE_GATE_PLANTED_FAILURES_H_
#define STILE_RUNTIME_GATE_GATE_PLANTED_FAILURES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// Tests that pass on a copy in which each of them has to fail.
absl::StatusOr<std::vector<Blocker>> TestsThatCannotFail(GateState* gate, Judgement* judgement);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_PLANTED_FAILURES_H_
