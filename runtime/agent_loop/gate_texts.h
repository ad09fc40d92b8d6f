// Sentences about a gate's decisions that end a run, shared by the agent loop and by sessions
// without a model.
#ifndef STILE_RUNTIME_AGENT_LOOP_GATE_TEXTS_H_
#define STILE_RUNTIME_AGENT_LOOP_GATE_TEXTS_H_

#include <optional>
#include <string>

#include "runtime/agent_loop/run_state.h"
#include "runtime/gate/gate.h"

namespace stile {

struct GateStop {
  StopReason reason;
  std::string message;
};

// Whether too many validations in a row failed or could not be run. `report_text` is the last
// report, "" if there is none.
std::optional<GateStop> GateStopOf(const Gate& gate, const std::string& report_text);

// What a gate that only observes would have refused; "": nothing.
std::string UngatedText(const Judgement& verdict);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_GATE_TEXTS_H_
