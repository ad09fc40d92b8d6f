// Whether a run may finish: what its changes leave open, in the order in which it is told.
#ifndef STILE_RUNTIME_GATE_GATE_FINISH_H_
#define STILE_RUNTIME_GATE_GATE_FINISH_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// Targets whose changes have not been validated, or were refused.
std::vector<Blocker> UnvalidatedTargets(GateState* gate);

// How a target's pass came about and what it has to account for; nullopt if it did not pass in this
// run.
std::optional<CoverageQuestion> QuestionOf(const GateState& gate, const Target& target);

// Those that block a finish; the others are tolerated.
std::vector<Blocker> RefusedWeakenings(GateState* gate, std::vector<Weakening> weakenings,
                                       Judgement* judgement);

// See Gate::JudgeFinish.
absl::StatusOr<Judgement> JudgeWorkspace(GateState* gate, bool validated);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_FINISH_H_
