// The loop: the model has the word, tools act, results go back, until the gate accepts a finish or
// a limit ends the run.
#ifndef STILE_RUNTIME_AGENT_LOOP_REACT_EXECUTOR_H_
#define STILE_RUNTIME_AGENT_LOOP_REACT_EXECUTOR_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/agent_loop/budget.h"
#include "runtime/agent_loop/repetition.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/deadline.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate.h"
#include "runtime/model/chat_model.h"
#include "runtime/tool/consent.h"
#include "runtime/tool/tool_registry.h"

namespace stile {

// A sub-agent before it begins.
struct SubAgentPlan {
  std::string system_prompt;
  std::string user_prompt;
  std::unique_ptr<ToolRegistry> tools;
  int max_turns = 0;  // 0: the limits of the run are all
  double temperature = -1;
  std::unique_ptr<ChatModel> model;  // null: the run's
  int64_t context_tokens = 0;        // RunLimits::context_tokens with that model
};

// By the name of a profile ("": the usual one) and the task. Other errors than InvalidArgument
// and NotFound, which are for the model, end the run.
using SubAgentPlanner = std::function<absl::StatusOr<SubAgentPlan>(const std::string& profile,
                                                                   const std::string& task)>;

// What a sub-agent has of the run that it works for. Nothing is owned.
struct SharedWithRun {
  std::string id;     // of its events: "<turn>.<call>" that spawned it
  std::string root;   // of the workspace when it was
  int max_turns = 0;  // of its own; 0: the limits of the run are all
  Budget* budget = nullptr;
  absl::Duration started;            // of the run, by the clock
  RunHistory::Conversation history;  // where it was interrupted
};

struct ExecutorOptions {
  std::string system_prompt;
  std::string user_prompt;
  std::vector<ImageData> user_images;  // pictures beside the prompt
  RunLimits limits;
  double temperature = -1;
  Consent consent;
  // More is cut in the middle, and the whole goes to a file. Tools that cut or page by themselves
  // stay below it.
  size_t max_observation_bytes = size_t{64} << 10;
  ToolContext tool_context;
  std::optional<RunHistory> history;  // of the interrupted run that goes on

  // For tools that give a part of the task to a sub-agent; empty: nobody is to be had.
  SubAgentPlanner plan_sub_agent;
  std::optional<SharedWithRun> sub_agent;  // of a sub-agent

  // Called before a tool runs: whether its start is in the journal. A failure ends the run, since
  // undo could not tell what the tool did.
  std::function<absl::Status()> before_tool;
  // Called after every turn, when the journal should go to disk. A failure ends the run.
  std::function<absl::Status()> on_turn_end;

  // None owned; all outlive the executor.
  ChatModel* model = nullptr;
  const ToolRegistry* tools = nullptr;
  Gate* gate = nullptr;
  EventStream* events = nullptr;
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;
  // What `cancellation` belongs to when the wall time is limited: tells its end from a user's wish.
  const Deadline* deadline = nullptr;
};

// One run, or one sub-agent of a run. A sub-agent works in the same workspace, by the same rules
// and on the same budgets; it finishes through the same gate if anything changed since it was
// spawned, and freely if nothing did. How it ends is an observation for the agent that spawned it.
// Use once; not thread-safe.
// One thing: the state of one run; each turn reads and changes most of it.
class ReactExecutor {
 public:
  explicit ReactExecutor(ExecutorOptions options);

  // Runs to a terminal state. Everything of RunResult is filled in but the certificate. Does not
  // emit run_started and run_finished: its caller does, who knows what surrounds the run. Listens
  // to `events` from then on, so it has to live as long as they are emitted.
  RunResult Run();
  // The judgement that accepted the finish; of another end the default.
  const Judgement& accepted() const { return accepted_; }

 private:
  template <EventRecord T>
  void Emit(const T& record) {
    Emit(T::kEventType, FieldsOf(record));
  }
  void Emit(EventType type, Json data);
  void Move(RunTrigger trigger);
  void NoteValidation();
  void Fail(StopReason reason, std::string message);
  // Of a call that was cancelled, by the user or by the limit of wall time, or that failed.
  void FailBecause(const absl::Status& status, StopReason otherwise);
  std::string LimitText(StopReason reason) const;
  bool done() const { return IsTerminal(state_); }

  void Resume();
  void Replay(const RunHistory::Conversation& conversation);
  std::vector<ImageData> Reloaded(std::vector<ImageData> images) const;
  void GoOn(const RunHistory::Conversation& conversation, bool has_sub_agent);
  void TakeBackGiveUp(const RunHistory::Turn& last);
  void Turn();
  // Asks the model; a conversation that it finds too long is shortened, and it is asked again.
  absl::StatusOr<ModelReply> Ask();
  void FailToAsk(const absl::Status& status);
  void HandleReply(const ModelReply& reply);
  void AnswerCalls(const std::vector<ToolCall>& calls, size_t first);
  void ExecuteCall(const ToolCall& call, int index);
  std::string CallTool(const ToolCall& call, int index, bool* ok);
  // Runs a sub-agent for call `index` of the present turn, or goes on with one that was
  // interrupted.
  ToolResult Spawn(const std::string& profile, const std::string& task, int index);
  ToolResult Spawned(ExecutorOptions options);
  std::string ToolName(const ToolCall& call) const;
  std::string Shorten(const std::string& text, int index);
  void Finish(const ToolCall* call, int index, const std::string& answer);
  void Accept(const Judgement& verdict);
  std::string ReportText(const ValidationReport& report) const;
  void CheckGate();
  void Answer(const ToolCall& call, int index, bool ok, std::string text,
              absl::Duration took = absl::ZeroDuration());
  void PushAnswer(const ToolCall& call, bool ok, std::string text, std::vector<ImageData> images);
  // The pictures of a result as the model takes them, kept with the run for its journal.
  std::vector<ImageData> Show(const ToolResult& result, int index, std::string* text);
  void ObserveText(std::string text);
  void WarnOfBudget();
  // Shortens the conversation where it is due after a reply that took `usage`.
  void CompactIfDue(const Usage& usage);
  // Leaves out the oldest turns. False: too little would be won, and nothing is done.
  bool Compact();
  std::vector<std::string> ChangedPaths() const;
  std::vector<ToolContext::Spending> Spendings() const;
  absl::Duration Elapsed() const;
  std::vector<ToolDefinition> Definitions() const;

  ExecutorOptions options_;
  RunState state_ = RunState::kReady;
  ModelRequest request_;
  std::optional<RunHistory> history_;  // of the interrupted run
  Budget own_budget_;
  Budget* const budget_;                // of the run
  int turns_ = 0;                       // of this agent
  int turn_ = 0;                        // the present one's number within the run
  ReactExecutor* sub_agent_ = nullptr;  // that works for this one at present
  RepetitionDetector repetition_;
  RunResult result_;
  Judgement accepted_;
  absl::Duration started_;
  int unparsable_in_a_row_ = 0;
  std::vector<ImageData> shown_;  // of the call that is being answered
  Json context_record_;           // of the last compaction; null: none
};

// The tool by which a run ends; the loop's own.
ToolDefinition FinishDefinition();

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_REACT_EXECUTOR_H_
