// Whether the tests as they were before the run still pass.
#ifndef STILE_RUNTIME_GATE_GATE_OLD_SUITE_H_
#define STILE_RUNTIME_GATE_GATE_OLD_SUITE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// Tests that passed before the run and fail on the code that it leaves, though the changed tests
// pass.
absl::StatusOr<std::vector<Weakening>> BrokenTests(GateState* gate);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_OLD_SUITE_H_
