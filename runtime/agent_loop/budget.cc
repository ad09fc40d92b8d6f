#include "runtime/agent_loop/budget.h"

#include "absl/strings/str_cat.h"

namespace stile {

std::optional<StopReason> Budget::Exceeded(absl::Duration elapsed) const {
  if (limits_.max_turns > 0 && turns_ >= limits_.max_turns) return StopReason::kMaxTurns;
  if (limits_.tokens > 0 && usage_.total() >= limits_.tokens) return StopReason::kTokenBudget;
  if (limits_.cost_usd > 0 && usage_.cost_usd >= limits_.cost_usd) return StopReason::kCostBudget;
  if (limits_.wall_time_s > 0 && elapsed >= absl::Seconds(limits_.wall_time_s)) {
    return StopReason::kWallTime;
  }
  return std::nullopt;
}

std::optional<Budget::Warning> Budget::NextWarning() {
  if (limits_.tokens <= 0) return std::nullopt;
  const int64_t used = usage_.total();
  int mark = 0;
  for (const int percent : {70, 80, 90}) {
    if (static_cast<double>(used) * 100 >= static_cast<double>(limits_.tokens) * percent) {
      mark = percent;
    }
  }
  if (mark <= warned_percent_) return std::nullopt;
  warned_percent_ = mark;
  return Warning{mark, used, limits_.tokens,
                 absl::StrCat("Budget: ", used, " of ", limits_.tokens, " tokens are used (over ",
                              mark, " %). ",
                              mark >= 90 ? "Finish now: validate what you have and call finish."
                                         : "Keep to what the task needs.")};
}

}  // namespace stile
