// A part of the task for another agent of the same run: its own conversation, everything else
// shared.
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"

namespace stile {

ToolResult ReactExecutor::Spawn(const std::string& profile, const std::string& task, int index) {
  // Of the process that was killed in the middle of this very call.
  const RunHistory::SubAgent* earlier = nullptr;
  std::string id = absl::StrCat(turn_, ".", index);
  if (history_.has_value() && !history_->running_sub_agent.empty()) {
    id = std::exchange(history_->running_sub_agent, "");
    earlier = &history_->sub_agents[id];
    if (earlier->finished.has_value()) {
      return earlier->finished->ok ? ToolResult::Success(earlier->finished->text)
                                   : ToolResult::Error(earlier->finished->text);
    }
  }
  absl::StatusOr<SubAgentPlan> plan = options_.plan_sub_agent(profile, task);
  if (!plan.ok()) {
    const bool is_for_model =
        absl::IsInvalidArgument(plan.status()) || absl::IsNotFound(plan.status());
    return is_for_model ? ToolResult::Error(std::string(plan.status().message()))
                        : ToolResult::Fatal(plan.status());
  }
  ExecutorOptions options = options_;
  options.plan_sub_agent = nullptr;  // no deeper than this
  options.system_prompt = std::move(plan->system_prompt);
  options.user_prompt = std::move(plan->user_prompt);
  options.temperature = plan->temperature;
  options.tools = plan->tools.get();
  if (plan->model != nullptr) {
    options.model = plan->model.get();
    options.limits.context_tokens = plan->context_tokens;
  }
  options.sub_agent.emplace();
  SharedWithRun& shared = *options.sub_agent;
  shared.id = std::move(id);
  shared.max_turns = plan->max_turns;
  shared.budget = budget_;
  shared.started = started_;
  if (earlier != nullptr) {
    options.system_prompt = JsonString(earlier->start, "system_prompt").value_or("");
    options.user_prompt = JsonString(earlier->start, "user_prompt").value_or("");
    shared.root = history_->main.turns.back().root_before;
    shared.history = *earlier;
  } else {
    shared.root = options_.gate->current().RootHash();
    Emit(AgentStartedEvent{.agent = shared.id,
                           .profile = profile,
                           .task = task,
                           .model = options.model->info().model,
                           .system_prompt = options.system_prompt,
                           .user_prompt = options.user_prompt});
  }
  return Spawned(std::move(options));
}

ToolResult ReactExecutor::Spawned(ExecutorOptions options) {
  const std::string id = options.sub_agent->id;
  ReactExecutor agent(std::move(options));
  sub_agent_ = &agent;
  const RunResult result = agent.Run();
  sub_agent_ = nullptr;
  for (const auto& [tool, calls] : result.tools_used) result_.tools_used[tool] += calls;
  // The run ends for these as well, and goes on with the sub-agent if it is resumed.
  if (result.reason == StopReason::kCancelled || result.reason == StopReason::kWallTime) {
    const bool is_past_end = result.reason == StopReason::kWallTime;
    const absl::Status status = absl::CancelledError(result.message);
    return ToolResult::Fatal(is_past_end ? ForLater(status, is_past_end, result.message) : status);
  }
  if (result.reason == StopReason::kInternal) {
    return ToolResult::Fatal(absl::InternalError(result.message));
  }
  const std::string text =
      result.ok() ? result.answer
      : result.reason == StopReason::kGaveUp
          ? absl::StrCat("The sub-agent gave up: ", result.message)
          : absl::StrCat("The sub-agent did not come to an end (", StopReasonName(result.reason),
                         "): ", result.message, "\nWhat it changed is in the workspace.");
  Emit(AgentFinishedEvent{.agent = id,
                          .ok = result.ok(),
                          .text = text,
                          .reason = std::string(StopReasonName(result.reason)),
                          .turns = agent.turns_});
  return result.ok() ? ToolResult::Success(text) : ToolResult::Error(text);
}

}  // namespace stile
