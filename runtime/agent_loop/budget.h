#ifndef STILE_RUNTIME_AGENT_LOOP_BUDGET_H_
#define STILE_RUNTIME_AGENT_LOOP_BUDGET_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "runtime/agent_loop/run_result.h"

namespace stile {

// What a run may use up. Pure bookkeeping; time is passed in.
class Budget {
 public:
  explicit Budget(RunLimits limits) : limits_(limits) {}

  void AddTurn() { ++turns_; }
  void AddUsage(const Usage& usage) { usage_ += usage; }
  int turns() const { return turns_; }
  const Usage& usage() const { return usage_; }
  const RunLimits& limits() const { return limits_; }

  // The limit that forbids another request to the model, if any.
  std::optional<StopReason> Exceeded(absl::Duration elapsed) const;

  struct Warning {
    int percent;  // 70, 80 or 90
    int64_t used;
    int64_t limit;
    std::string text;  // for the model
  };
  // When the share of used tokens has passed a mark not yet warned of; each mark once, the highest
  // of several at a time.
  std::optional<Warning> NextWarning();

 private:
  RunLimits limits_;
  Usage usage_;
  int turns_ = 0;
  int warned_percent_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_BUDGET_H_
