// Questions to validators that count as no validation.
#ifndef STILE_RUNTIME_GATE_GATE_PROBE_H_
#define STILE_RUNTIME_GATE_GATE_PROBE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// See ValidationService.
absl::StatusOr<ProbeReport> ProbeBuild(GateState* gate, const std::vector<std::string>& paths);

absl::StatusOr<ProbeReport> ProbeDeprecation(GateState* gate,
                                             const std::vector<std::string>& paths);

absl::StatusOr<ExampleReport> ProbeDocExamples(GateState* gate,
                                               const std::vector<DocExample>& examples);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_PROBE_H_
