// Which tests ran before the run, and which ran now.
#ifndef STILE_RUNTIME_GATE_GATE_TESTS_H_
#define STILE_RUNTIME_GATE_GATE_TESTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// Tests that the task names and that are not known to pass.
std::vector<Blocker> UnmetTests(GateState* gate);

// The tests that ran on the content that was found; null where there are none to be told. Runs them
// at the first call.
absl::StatusOr<const TargetState::ReferenceTests*> TestsBefore(GateState* gate,
                                                               const TargetKey& key);

// A run of no test passes where there are none. Where some ran before, it was cut short.
absl::Status ApplyReportRule(GateState* gate, const Target& target, ValidationResult* result);

// Tests that ran on the content that was found and do not run now: skipped, no longer collected,
// behind the end of a run that was cut short, or gone.
absl::StatusOr<std::vector<Weakening>> LostTests(GateState* gate);

// After tests of the target failed.
absl::Status NoteRedTests(GateState* gate, const Target& target, const ValidationResult& result);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_TESTS_H_
