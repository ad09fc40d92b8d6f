#include "runtime/agent_loop/react_executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/compaction.h"
#include "runtime/agent_loop/gate_texts.h"
#include "runtime/agent_loop/unusable_reply.h"
#include "runtime/base/check.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/tool/path_text.h"
#include "runtime/validation/report_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kMaxUnparsable = 3;
constexpr size_t kMaxReasonBytes = 2000;  // of what the gate said, for people

bool IsFinish(const ToolCall& call) { return absl::AsciiStrToLower(call.name) == "finish"; }

}  // namespace

ToolDefinition FinishDefinition() {
  return {"finish",
          "End the run. Rejected while changed code is not validated.",
          {{"type", "object"},
           {"properties",
            {{"answer",
              {{"type", "string"},
               {"description", "What changed and why, or why the task cannot be done."}}},
             {"status",
              {{"type", "string"},
               {"enum", {"done", "gave_up"}},
               {"description", "gave_up: the task cannot be done."},
               {"default", "done"}}}}},
           {"required", {"answer"}}}};
}

ReactExecutor::ReactExecutor(ExecutorOptions options)
    : options_(std::move(options)),
      history_(std::exchange(options_.history, std::nullopt)),
      own_budget_(options_.limits),
      budget_(options_.sub_agent.has_value() ? options_.sub_agent->budget : &own_budget_),
      started_(options_.sub_agent.has_value() ? options_.sub_agent->started
                                              : options_.clock->Monotonic()) {}

void ReactExecutor::Emit(EventType type, Json data) {
  if (options_.sub_agent.has_value()) data["agent"] = options_.sub_agent->id;
  options_.events->Emit(type, std::move(data));
}

// Whoever works at present asked for it.
void ReactExecutor::NoteValidation() {
  if (sub_agent_ != nullptr) return sub_agent_->NoteValidation();
  if (!done()) Move(RunTrigger::kValidate);
}

void ReactExecutor::Move(RunTrigger trigger) {
  const std::optional<RunState> next = NextRunState(state_, trigger);
  STILE_CHECK(next.has_value());
  state_ = *next;
}

void ReactExecutor::Fail(StopReason reason, std::string message) {
  if (done()) return;
  Move(RunTrigger::kFail);
  result_.reason = reason;
  result_.message = std::move(message);
}

void ReactExecutor::FailBecause(const absl::Status& status, StopReason otherwise) {
  if (IsPastEnd(status)) return Fail(StopReason::kWallTime, std::string(status.message()));
  const std::string text = FailureText(status, options_.events->run_id());
  if (!absl::IsCancelled(status)) return Fail(otherwise, text);
  if (options_.deadline == nullptr || !options_.deadline->passed()) {
    return Fail(StopReason::kCancelled, "cancelled");
  }
  Fail(StopReason::kWallTime, LimitText(StopReason::kWallTime));
}

std::string ReactExecutor::LimitText(StopReason reason) const {
  return absl::StrCat("the run reached its limit: ", StopReasonName(reason), " after ",
                      Count(budget_->turns(), "turn"), " and ", budget_->usage().total(),
                      " tokens");
}

absl::Duration ReactExecutor::Elapsed() const { return options_.clock->Monotonic() - started_; }

std::vector<ToolDefinition> ReactExecutor::Definitions() const {
  std::vector<ToolDefinition> definitions;
  for (const auto& tool : options_.tools->tools()) {
    const ToolSpec& spec = tool->spec();
    definitions.push_back({spec.name, spec.description, spec.parameters});
    // The registry holds to it, and every request would carry it for each tool.
    definitions.back().parameters.erase("additionalProperties");
  }
  definitions.push_back(FinishDefinition());
  return definitions;
}

RunResult ReactExecutor::Run() {
  if (!options_.sub_agent.has_value()) {
    options_.events->AddSink([this](const Event& event) {
      if (event.type == EventType::kValidationStarted) NoteValidation();
    });
  }
  request_.tools = Definitions();
  request_.temperature = options_.temperature;
  request_.messages.push_back({Role::kSystem, options_.system_prompt});
  request_.messages.push_back({Role::kUser, options_.user_prompt});
  request_.messages.back().images = options_.user_images;
  Move(RunTrigger::kStart);
  if (history_.has_value()) Resume();
  if (options_.sub_agent.has_value()) {
    Replay(options_.sub_agent->history);
    if (turns_ > 0) budget_->NextWarning();  // given before the interruption
    if (!done()) GoOn(options_.sub_agent->history, /*has_sub_agent=*/false);
  }
  while (!done()) Turn();

  result_.outcome = state_;
  result_.usage = budget_->usage();
  result_.turns = budget_->turns();
  result_.failures = options_.gate->failures().in_a_row;
  result_.changed = ChangedPaths();
  result_.duration = Elapsed();
  return std::move(result_);
}

void ReactExecutor::Turn() {
  if (options_.cancellation != nullptr && options_.cancellation->cancelled()) {
    return FailBecause(absl::CancelledError(), StopReason::kInternal);
  }
  if (const auto reason = budget_->Exceeded(Elapsed())) return Fail(*reason, LimitText(*reason));
  if (options_.sub_agent.has_value() && options_.sub_agent->max_turns > 0 &&
      turns_ >= options_.sub_agent->max_turns) {
    return Fail(StopReason::kMaxTurns, absl::StrCat("it has used its ", Count(turns_, "turn")));
  }
  budget_->AddTurn();
  ++turns_;
  turn_ = budget_->turns();
  const int turn = turn_;
  Emit(TurnStartedEvent{turn});
  Emit(ModelRequestEvent{turn, request_.messages.size()});
  absl::StatusOr<ModelReply> reply = Ask();
  if (!reply.ok()) return FailToAsk(reply.status());
  Emit(ModelResponseEvent{turn, ToJson(*reply)});
  budget_->AddUsage(reply->usage);
  HandleReply(*reply);
  if (!done()) WarnOfBudget();
  if (!done()) CompactIfDue(reply->usage);
  if (options_.on_turn_end) {
    const absl::Status status = options_.on_turn_end();
    if (!status.ok()) FailBecause(status, StopReason::kInternal);
  }
}

void ReactExecutor::HandleReply(const ModelReply& reply) {
  request_.messages.push_back(ToMessage(reply));
  if (IsUnusable(reply)) {
    Move(RunTrigger::kUnparsable);
    if (++unparsable_in_a_row_ >= kMaxUnparsable) {
      return Fail(StopReason::kUnparsable,
                  absl::StrCat(kMaxUnparsable, " replies in a row could not be used; the last: ",
                               UnusableText(reply)));
    }
    ObserveText(UnusableObservation(reply));
    Move(RunTrigger::kAskModel);
    return;
  }
  unparsable_in_a_row_ = 0;
  if (reply.tool_calls.empty()) return Finish(nullptr, -1, reply.text);
  AnswerCalls(reply.tool_calls, 0);
}

// Runs the calls of one reply from index `first` on; finish is judged after all the others.
void ReactExecutor::AnswerCalls(const std::vector<ToolCall>& calls, size_t first) {
  for (size_t i = first; i < calls.size() && !done(); ++i) {
    if (!IsFinish(calls[i])) ExecuteCall(calls[i], static_cast<int>(i));
  }
  const ToolCall* finish = nullptr;
  int finish_index = -1;
  for (size_t i = 0; i < calls.size() && !done(); ++i) {
    if (!IsFinish(calls[i])) continue;
    if (finish != nullptr) {  // every call needs an answer; one finish is judged
      Move(RunTrigger::kToolCall);
      Move(RunTrigger::kObserved);
      Answer(calls[i], static_cast<int>(i), false, "Only the first finish of a reply is judged.");
      continue;
    }
    finish = &calls[i];
    finish_index = static_cast<int>(i);
  }
  if (done()) return;
  if (finish == nullptr) return Move(RunTrigger::kAskModel);
  const std::string status = JsonString(finish->arguments, "status").value_or("done");
  const std::string answer = JsonString(finish->arguments, "answer").value_or("");
  if (!finish->malformed.empty()) {
    Move(RunTrigger::kToolCall);
    Move(RunTrigger::kObserved);
    Answer(*finish, finish_index, false, finish->malformed);
    return Move(RunTrigger::kAskModel);
  }
  if (status == "gave_up") {
    result_.answer = answer;
    return Fail(StopReason::kGaveUp, answer.empty() ? "the agent gave up" : answer);
  }
  Finish(finish, finish_index, answer);
}

void ReactExecutor::ExecuteCall(const ToolCall& call, int index) {
  if (options_.cancellation != nullptr && options_.cancellation->cancelled()) {
    return FailBecause(absl::CancelledError(), StopReason::kInternal);
  }
  Move(RunTrigger::kToolCall);
  const absl::Duration start = options_.clock->Monotonic();
  bool ok = false;
  const std::string text = CallTool(call, index, &ok);
  if (done()) return;
  Move(RunTrigger::kObserved);
  const std::string root = options_.gate->current().RootHash();
  const int times = repetition_.Record(call.name, call.arguments, text, root);
  std::string observation = Shorten(text, index);
  if (times >= RepetitionDetector::kWarnAt) {
    Emit(RepetitionWarningEvent{ToolName(call), times});
    absl::StrAppend(&observation, "\n[You have made this very call ", times,
                    " times with the same result. Do something else; at ",
                    RepetitionDetector::kStopAt, " the run ends.]");
  }
  Answer(call, index, ok, std::move(observation), options_.clock->Monotonic() - start);
  CheckGate();
  if (times >= RepetitionDetector::kStopAt) {
    Fail(StopReason::kRepetition,
         absl::StrCat("the model repeated ", call.name, " ", times, " times with the same result"));
  }
}

std::string ReactExecutor::CallTool(const ToolCall& call, int index, bool* ok) {
  Emit(ToolStartedEvent{.turn = turn_,
                        .call = index,
                        .tool = ToolName(call),
                        .arguments = call.arguments,
                        .workspace_sha256 = options_.gate->current().RootHash()});
  if (!call.malformed.empty()) return call.malformed;
  absl::StatusOr<PreparedCall> prepared = options_.tools->Prepare(call.name, call.arguments);
  if (!prepared.ok()) return std::string(prepared.status().message());
  const absl::Status permitted = options_.consent.CheckCall(
      prepared->tool->spec(), prepared->arguments, options_.tool_context.sandboxed);
  if (!permitted.ok()) return std::string(permitted.message());
  if (const absl::Status status = options_.before_tool ? options_.before_tool() : absl::OkStatus();
      !status.ok()) {
    FailBecause(status, StopReason::kInternal);
    return "";
  }

  ToolContext context = options_.tool_context;
  context.cancellation = options_.cancellation;
  context.on_output = [&](absl::string_view text) { Emit(ToolOutputEvent{index, ToUtf8(text)}); };
  context.on_fallback = [&](const std::string& text) {
    Emit(LogEvent{.text = ToUtf8(text), .fallback = ToolName(call)});
  };
  context.budget = [this] { return Spendings(); };
  if (options_.plan_sub_agent) {
    context.spawn = [&](const std::string& profile, const std::string& task) {
      return Spawn(profile, task, index);
    };
  }
  std::set<std::string> allowed;
  context.may_change = [&](const std::vector<std::string>& paths) {
    return options_.consent.CheckChanges(prepared->tool->spec(), paths, &allowed);
  };
  ToolResult result = prepared->tool->Run(prepared->arguments, context);
  absl::Status status = result.fatal;
  // Also after a tool that was cancelled: it may have taken effect in part.
  if (!prepared->tool->spec().read_only) status.Update(options_.gate->Refresh().status());
  if (!status.ok()) {
    FailBecause(status, StopReason::kInternal);
    return "";
  }
  *ok = result.ok;
  if (result.ok) ++result_.tools_used[prepared->tool->spec().name];
  shown_ = Show(result, index, &result.text);
  return ToUtf8(result.text);
}

// The tool's own name, however the model spells it.
std::string ReactExecutor::ToolName(const ToolCall& call) const {
  if (IsFinish(call)) return "finish";
  const Tool* tool = options_.tools->Find(call.name);
  return tool == nullptr ? ToUtf8(call.name) : tool->spec().name;
}

std::string ReactExecutor::Shorten(const std::string& text, int index) {
  if (text.size() <= options_.max_observation_bytes) return text;
  const std::string file =
      JoinPath(options_.tool_context.output_dir, absl::StrCat("turn-", turn_, "-", index, ".txt"));
  const absl::Status status =
      options_.tool_context.file_system->WriteFile(file, text, 0600, /*sync=*/false);
  return absl::StrCat(TruncateMiddle(text, options_.max_observation_bytes),
                      status.ok() ? absl::StrCat("\n[The whole result is in ", file, "]") : "");
}

void ReactExecutor::Finish(const ToolCall* call, int index, const std::string& answer) {
  Move(RunTrigger::kFinish);
  result_.answer = answer;
  if (options_.sub_agent.has_value()) {
    const absl::Status status = options_.gate->Refresh().status();
    if (!status.ok()) return FailBecause(status, StopReason::kInternal);
    // What the others changed before is not for it to answer for.
    const std::string& root = options_.gate->current().RootHash();
    if (root == options_.sub_agent->root) return Move(RunTrigger::kAcceptUnchanged);
  }
  std::string report_text;
  absl::StatusOr<Judgement> verdict = options_.gate->JudgeFinish(/*validated=*/false);
  if (verdict.ok() && verdict->kind == Judgement::Kind::kNeedsValidation) {
    const absl::StatusOr<ValidationReport> report = options_.gate->Validate({});
    if (report.ok()) {
      report_text = ReportText(*report);
      Move(RunTrigger::kFinish);
      CheckGate();
      if (done()) return;
      verdict = options_.gate->JudgeFinish(/*validated=*/true);
    } else {
      verdict = report.status();
    }
  }
  if (!verdict.ok()) return FailBecause(verdict.status(), StopReason::kInternal);
  if (verdict->kind != Judgement::Kind::kRejected) return Accept(*verdict);

  Move(RunTrigger::kObserved);
  Emit(GateRejectedEvent{verdict->observation, verdict->remaining});
  const std::string observation = absl::StrCat(
      verdict->observation, report_text.empty() ? "" : absl::StrCat("\n\n", report_text));
  if (call == nullptr) {
    ObserveText(observation);
  } else {
    Answer(*call, index, false, observation);
  }
  const int times =
      repetition_.Record("finish", answer, observation, options_.gate->current().RootHash());
  if (times >= RepetitionDetector::kStopAt) {
    return Fail(StopReason::kRepetition,
                absl::StrCat("the model asked to finish ", times,
                             " times without doing what the gate asked for:\n",
                             TruncateMiddle(verdict->observation, kMaxReasonBytes)));
  }
  Move(RunTrigger::kAskModel);
}

void ReactExecutor::Accept(const Judgement& verdict) {
  const bool ungated = verdict.kind == Judgement::Kind::kUngated;
  const bool unchanged = verdict.kind == Judgement::Kind::kUnchanged;
  Move(ungated     ? RunTrigger::kAcceptUngated
       : unchanged ? RunTrigger::kAcceptUnchanged
                   : RunTrigger::kAccept);
  if (options_.sub_agent.has_value()) return;  // it is for the run to be accepted
  Emit(GateAcceptedEvent{std::string(RunStateName(state_)), options_.gate->current().RootHash(),
                         verdict.remaining});
  if (ungated) result_.message = UngatedText(verdict);
  accepted_ = verdict;
}

std::string ReactExecutor::ReportText(const ValidationReport& report) const {
  return ValidationReportText(report, options_.tool_context.file_system,
                              options_.tool_context.workspace);
}

// Five failures in a row end the run at once, whether or not the agent tried to finish.
void ReactExecutor::CheckGate() {
  const Gate& gate = *options_.gate;
  if (!gate.failures_exhausted() && !gate.infra_errors_exhausted()) return;
  const auto stop =
      GateStopOf(gate, gate.last_report().has_value() ? ReportText(*gate.last_report()) : "");
  if (stop.has_value()) Fail(stop->reason, stop->message);
}

// The result of a call, into the journal and the conversation.
void ReactExecutor::Answer(const ToolCall& call, int index, bool ok, std::string text,
                           absl::Duration took) {
  ToolFinishedEvent finished{.turn = turn_,
                             .call = index,
                             .tool = ToolName(call),
                             .ok = ok,
                             .observation = text,
                             .workspace_sha256 = options_.gate->current().RootHash(),
                             .duration_ms = absl::ToInt64Milliseconds(took)};
  if (!shown_.empty()) finished.images = Json::array();
  for (const ImageData& image : shown_) {
    finished.images->push_back({{"media_type", image.media_type}, {"file", image.file}});
  }
  Emit(finished);
  PushAnswer(call, ok, std::move(text), std::exchange(shown_, {}));
  if (history_.has_value()) history_->running_sub_agent.clear();  // whoever had one was answered
}

void ReactExecutor::PushAnswer(const ToolCall& call, bool ok, std::string text,
                               std::vector<ImageData> images) {
  Message message{Role::kTool, std::move(text)};
  message.tool_call_id = call.id;
  message.tool_name = call.name;
  message.is_error = !ok;
  message.images = std::move(images);
  request_.messages.push_back(std::move(message));
}

void ReactExecutor::ObserveText(std::string text) {
  Emit(ObservationEvent{text});
  request_.messages.push_back({Role::kUser, std::move(text)});
}

void ReactExecutor::WarnOfBudget() {
  const auto warning = budget_->NextWarning();
  if (!warning.has_value()) return;
  Emit(BudgetWarningEvent{warning->percent, warning->used, warning->limit});
  ObserveText(warning->text);
}

std::vector<std::string> ReactExecutor::ChangedPaths() const {
  std::vector<std::string> paths;
  for (const FileChange& change : options_.gate->Changes()) paths.push_back(change.path);
  return paths;
}

std::vector<ToolContext::Spending> ReactExecutor::Spendings() const {
  const RunLimits& limits = options_.limits;
  return {
      {"turns", static_cast<double>(budget_->turns()), static_cast<double>(limits.max_turns)},
      {"tokens", static_cast<double>(budget_->usage().total()), static_cast<double>(limits.tokens)},
      {"cost_usd", budget_->usage().cost_usd, limits.cost_usd},
      {"wall_time_s", absl::ToDoubleSeconds(Elapsed()), static_cast<double>(limits.wall_time_s)}};
}

// Puts the conversation back as it was, then does what the last reply still asks for.
void ReactExecutor::Resume() {
  const RunHistory& history = *history_;
  result_.tools_used = history.tools_used;
  started_ -= history.elapsed;
  Replay(history.main);
  for (const auto& [id, agent] : history.sub_agents) {
    if (id == history.running_sub_agent && !agent.finished.has_value()) continue;  // it goes on
    for (const RunHistory::Turn& turn : agent.turns) {
      budget_->AddTurn();
      budget_->AddUsage(turn.reply.usage);
    }
  }
  budget_->NextWarning();  // marks passed before the interruption were warned of then
  if (!done()) GoOn(history.main, !history.running_sub_agent.empty());
}

void ReactExecutor::Replay(const RunHistory::Conversation& conversation) {
  for (const RunHistory::Turn& turn : conversation.turns) {
    budget_->AddTurn();
    budget_->AddUsage(turn.reply.usage);
    ++turns_;
    turn_ = turn.number;
    request_.messages.push_back(ToMessage(turn.reply));
    for (const RunHistory::Observation& observation : turn.observations) {
      if (observation.call < 0) {
        request_.messages.push_back({Role::kUser, observation.text});
      } else {
        PushAnswer(turn.reply.tool_calls[static_cast<size_t>(observation.call)], observation.ok,
                   observation.text, Reloaded(observation.images));
      }
    }
    for (const RunHistory::Turn::Compaction& compaction : turn.compactions) {
      if (!LeaveOut(compaction.first_kept, compaction.record, &request_.messages)) {
        return Fail(StopReason::kInternal, "the journal leaves out turns that it does not have");
      }
      context_record_ = compaction.record;
    }
  }
}

// The user resumed the run although its agent had given up.
void ReactExecutor::TakeBackGiveUp(const RunHistory::Turn& last) {
  for (size_t i = 0; i < last.reply.tool_calls.size(); ++i) {
    const ToolCall& call = last.reply.tool_calls[i];
    if (!IsFinish(call)) continue;
    Move(RunTrigger::kToolCall);
    Move(RunTrigger::kObserved);
    Answer(call, static_cast<int>(i), false,
           "You gave up, and the user has resumed this run. What stopped you may have changed: try "
           "again, and go on with the task.");
  }
  Move(RunTrigger::kAskModel);
}

// What the last reply still asks for. `has_sub_agent`: the interrupted call has one, which goes on.
void ReactExecutor::GoOn(const RunHistory::Conversation& conversation, bool has_sub_agent) {
  if (conversation.turns.empty()) return;
  const RunHistory::Turn& last = conversation.turns.back();
  unparsable_in_a_row_ = conversation.unparsable_in_a_row;
  const bool rejected_finish = !last.observations.empty() && last.reply.tool_calls.empty();
  if (rejected_finish) return;
  if (last.reply.tool_calls.empty() || IsUnusable(last.reply)) {
    request_.messages.pop_back();  // HandleReply adds it again
    if (IsUnusable(last.reply)) --unparsable_in_a_row_;
    return HandleReply(last.reply);
  }
  size_t first = 0;
  bool finish_answered = false;
  for (const RunHistory::Observation& observation : last.observations) {
    if (observation.call < 0) return;  // what follows a turn: all calls were answered
    const auto index = static_cast<size_t>(observation.call);
    if (IsFinish(last.reply.tool_calls[index])) finish_answered = true;
    first = std::max(first, index + 1);
  }
  if (finish_answered) return;
  if (history_.has_value() && history_->ended_by == StopReasonName(StopReason::kGaveUp)) {
    return TakeBackGiveUp(last);
  }
  if (last.interrupted_call.has_value() && !has_sub_agent) {
    const auto index = static_cast<size_t>(*last.interrupted_call);
    const ToolCall& call = last.reply.tool_calls[index];
    const Tool* const tool = options_.tools->Find(call.name);
    // The effects of an MCP server's tool may lie elsewhere.
    const bool is_changed = last.root_before != options_.gate->current().RootHash();
    const bool may_have_effect = is_changed || (tool != nullptr && !tool->spec().server.empty());
    if (may_have_effect && (tool == nullptr || !tool->spec().idempotent)) {
      Move(RunTrigger::kToolCall);
      Move(RunTrigger::kObserved);
      Answer(call, static_cast<int>(index), false,
             absl::StrCat("This call was interrupted when the run was stopped",
                          is_changed ? ", and the workspace has changed since it began" : "",
                          ": it may have taken effect in part. Look before you repeat it."));
      first = index + 1;
    }
  }
  const bool all_answered =
      first >= last.reply.tool_calls.size() &&
      std::none_of(last.reply.tool_calls.begin(), last.reply.tool_calls.end(), IsFinish);
  if (all_answered) {
    if (state_ == RunState::kObserving) Move(RunTrigger::kAskModel);
    return;
  }
  AnswerCalls(last.reply.tool_calls, first);
}

}  // namespace stile
