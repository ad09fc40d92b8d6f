// Tests that failed before the run and still fail: whether they run through code that it changed.
#ifndef STILE_RUNTIME_GATE_GATE_RED_TESTS_H_
#define STILE_RUNTIME_GATE_GATE_RED_TESTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// A blocker for each target with such tests.
absl::StatusOr<std::vector<Blocker>> RedTestsOnChangedCode(GateState* gate);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_RED_TESTS_H_
