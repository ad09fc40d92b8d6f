#include "runtime/agent_loop/gate_texts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"

namespace stile {

std::optional<GateStop> GateStopOf(const Gate& gate, const std::string& report_text) {
  const std::string report = report_text.empty() ? "" : absl::StrCat("\n", report_text);
  if (gate.failures_exhausted()) {
    return GateStop{StopReason::kGateFailed,
                    absl::StrCat(Count(gate.failures().in_a_row, "validation"),
                                 " in a row failed. The last one:", report)};
  }
  if (gate.infra_errors_exhausted()) {
    return GateStop{StopReason::kInfraError,
                    absl::StrCat("validators could not be run ", gate.settings().max_infra_errors,
                                 " times in a row. The last time:", report)};
  }
  return std::nullopt;
}

std::string UngatedText(const Judgement& verdict) {
  if (verdict.remaining.empty()) return "";
  return absl::StrCat("the gate only observed; enforced, it would have refused: ",
                      absl::StrJoin(verdict.remaining, "; "));
}

}  // namespace stile
