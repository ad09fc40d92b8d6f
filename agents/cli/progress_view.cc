#include "agents/cli/progress_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
#include "runtime/journal/run_summary.h"

namespace stile {
namespace {

constexpr int kMaxCallColumns = 100;
constexpr size_t kMaxShown = 5;  // diagnostics and remaining targets

std::string Text(const Json& data, absl::string_view key) {
  return OneLine(JsonString(data, key).value_or(""));
}

std::string Elapsed(int64_t milliseconds) {
  return FormatElapsed(absl::Milliseconds(milliseconds));
}

// A step of a workflow, behind the item for which it runs.
std::string PlaceOf(const std::string& scope, const std::string& step) {
  if (step.empty() || scope.empty()) return OneLine(absl::StrCat(scope, step));
  return OneLine(absl::StrCat(scope, scope.back() == '/' ? "" : ":", step));
}

// Those of the elements that are text, each on one line; none if `list` is no array.
std::vector<std::string> Lines(const Json& list) {
  std::vector<std::string> lines;
  for (const Json& element : list.is_array() ? list : Json::array()) {
    if (element.is_string()) lines.push_back(OneLine(element.get<std::string>()));
  }
  return lines;
}

}  // namespace

std::string DescribeCall(const std::string& tool, const Json& arguments) {
  std::vector<std::string> parts = {tool};
  const auto add = [&](const char* key) {
    const std::string value = JsonString(arguments, key).value_or("");
    if (!value.empty()) parts.push_back(value);
    return !value.empty();
  };
  add("operation");
  for (const char* key : {"command", "path", "pattern", "symbolName", "symbol", "query", "filePath",
                          "projectPath", "message", "status"}) {
    if (add(key)) break;
  }
  return FitColumns(OneLine(absl::StrJoin(parts, " ")), kMaxCallColumns);
}

ProgressView::ProgressView(Options options, Clock* clock, Writer write)
    : options_(std::move(options)),
      clock_(clock),
      write_(std::move(write)),
      started_(clock->Monotonic()),
      last_drawn_(started_ - kRedrawInterval) {}

ProgressView::~ProgressView() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Erase();
}

void ProgressView::OnEvent(const Event& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Json& data = event.data;
  const int64_t step = JsonInt(data, "step").value_or(0);
  const bool is_beside_others = step > 0 && under_way_.size() > 1;
  prefix_ = absl::StrCat(is_beside_others ? absl::StrCat("[", step, "] ") : "",
                         data.contains("agent") && data.contains("turn") ? "  " : "");
  Show(event);
  Draw();
}

void ProgressView::Show(const Event& event) {
  switch (event.type) {
    case EventType::kRunStarted:
    case EventType::kRunResumed:
    case EventType::kRunFinished:
    case EventType::kBudgetWarning:
    case EventType::kRepetitionWarning:
    case EventType::kLog:
      return ShowRun(event);
    case EventType::kTurnStarted:
    case EventType::kModelRequest:
    case EventType::kModelDelta:
    case EventType::kModelNotice:
    case EventType::kModelResponse:
    case EventType::kContextCompacted:
    case EventType::kObservation:
    case EventType::kAgentStarted:
    case EventType::kAgentFinished:
      return ShowConversation(event);
    case EventType::kToolStarted:
    case EventType::kToolOutput:
    case EventType::kToolFinished:
    case EventType::kEditsStarted:
    case EventType::kEditsFinished:
    case EventType::kProgramStarted:
    case EventType::kProgramFinished:
      return ShowWork(event);
    case EventType::kWorkspaceChanged:
    case EventType::kValidationStarted:
    case EventType::kValidationFinished:
    case EventType::kGateRejected:
    case EventType::kGateAccepted:
      return ShowGate(event);
    case EventType::kStoryStarted:
    case EventType::kStepStarted:
    case EventType::kStepFinished:
    case EventType::kStoryFinished:
      return ShowStory(event);
    case EventType::kWorkflowStarted:
    case EventType::kWorkflowStepStarted:
    case EventType::kWorkflowStepFinished:
    case EventType::kWorkflowStepSkipped:
    case EventType::kWorkflowJumped:
    case EventType::kWorkflowFinished:
      return ShowWorkflow(event);
    case EventType::kRoundStart:
    case EventType::kRoundComplete:
    case EventType::kIssueRaised:
    case EventType::kIssueResolved:
    case EventType::kConvergenceCheck:
    case EventType::kError:
    case EventType::kComplete:
      return ShowVerification(event);
  }
}

void ProgressView::ShowRun(const Event& event) {
  const Json& data = event.data;
  switch (event.type) {
    case EventType::kRunStarted:
      turn_ = failures_ = 0;
      gate_ = Gate::kClean;
      has_turns_ = false;
      if (step_.empty()) {
        Line(absl::StrCat("run ", OneLine(event.run_id), " in ", Text(data, "workspace")));
      }
      break;
    case EventType::kRunResumed:
      if (data.contains(kExternal)) break;  // nothing of it was interrupted
      Line(absl::StrCat("resumed after ", Count(JsonInt(data, "turns").value_or(0), "turn"),
                        JsonBool(data, "workspace_changed").value_or(false)
                            ? "; the workspace has changed since"
                            : ""));
      break;
    case EventType::kRunFinished:
      activity_.clear();
      break;
    case EventType::kBudgetWarning:
      Warn(absl::StrCat(ReadRecord<BudgetWarningEvent>(event).percent,
                        "% of the token budget is used"));
      break;
    case EventType::kRepetitionWarning: {
      const auto warning = ReadRecord<RepetitionWarningEvent>(event);
      Warn(absl::StrCat("the model has made the same call of ", OneLine(warning.tool), " ",
                        warning.times, " times"));
      break;
    }
    case EventType::kLog: {
      const auto log = ReadRecord<LogEvent>(event);
      if (!options_.verbose && log.level == "info") break;
      ShowText(Style::kYellow, log.text.is_string() ? log.text.get<std::string>() : "");
      break;
    }
    default:
      break;
  }
}

void ProgressView::ShowConversation(const Event& event) {
  switch (event.type) {
    case EventType::kTurnStarted:
      turn_ = ReadRecord<TurnStartedEvent>(event).turn;
      has_turns_ = true;
      if (activity_ == kReading) activity_.clear();
      break;
    case EventType::kModelRequest:
      activity_ = "waiting for the model";
      break;
    case EventType::kModelDelta:
      if (options_.verbose) Streamed(Style::kDim, ReadRecord<ModelDeltaEvent>(event).text);
      break;
    case EventType::kModelNotice: {
      const auto notice = ReadRecord<ModelNoticeEvent>(event);
      const bool discards = options_.verbose && notice.discard_text;
      Warn(absl::StrCat(OneLine(notice.text), discards ? "; the text above does not count" : ""));
      break;
    }
    case EventType::kModelResponse: {
      const Json reply = ReadRecord<ModelResponseEvent>(event).reply;
      if (const Json* usage = JsonMember(reply, "usage")) {
        tokens_ += JsonInt(*usage, "input_tokens").value_or(0) +
                   JsonInt(*usage, "output_tokens").value_or(0);
      }
      activity_.clear();
      break;
    }
    case EventType::kContextCompacted:
      Line(absl::StrCat("… the conversation was shortened: ",
                        Count(ReadRecord<ContextCompactedEvent>(event).left_out, "message"),
                        " left out"));
      break;
    case EventType::kAgentStarted: {
      const std::string task = OneLine(ReadRecord<AgentStartedEvent>(event).task);
      Line(In(Style::kBold, FitColumns(absl::StrCat("sub-agent: ", task), kMaxCallColumns)));
      break;
    }
    case EventType::kObservation:
      if (options_.verbose) ShowText(Style::kDim, ReadRecord<ObservationEvent>(event).text);
      break;
    case EventType::kAgentFinished:
      if (options_.verbose) ShowText(Style::kDim, ReadRecord<AgentFinishedEvent>(event).text);
      break;
    default:
      break;
  }
}

void ProgressView::ShowWork(const Event& event) {
  switch (event.type) {
    case EventType::kToolStarted: {
      const auto started = ReadRecord<ToolStartedEvent>(event);
      activity_ = DescribeCall(started.tool, started.arguments);
      calls_[CallKey(event.data)] = activity_;
      told_ = false;
      break;
    }
    case EventType::kToolOutput:
      if (options_.verbose) Streamed(Style::kPlain, ReadRecord<ToolOutputEvent>(event).text);
      break;
    case EventType::kToolFinished:
      ShowToolFinished(event);
      break;
    case EventType::kEditsStarted:
      activity_ = "changing files";
      break;
    case EventType::kEditsFinished: {
      const auto edits = ReadRecord<EditsFinishedEvent>(event);
      if (options_.verbose || !edits.ok) ShowText(Style::kDim, edits.text);
      break;
    }
    case EventType::kProgramStarted: {
      const std::string command = OneLine(ReadRecord<ProgramStartedEvent>(event).command);
      Line(absl::StrCat(In(Style::kBold, "▶"), " ", FitColumns(command, kMaxCallColumns)));
      Erase();
      suspended_ = true;  // the program has the terminal
      break;
    }
    case EventType::kProgramFinished: {
      const auto program = ReadRecord<ProgramFinishedEvent>(event);
      suspended_ = false;
      if (!held_.empty()) write_(std::exchange(held_, ""));
      Line(absl::StrCat(Mark(program.ok), " ", OneLine(program.text), "  ",
                        In(Style::kDim, Elapsed(program.duration_ms))));
      activity_.clear();
      break;
    }
    default:
      break;
  }
}

void ProgressView::ShowGate(const Event& event) {
  switch (event.type) {
    case EventType::kWorkspaceChanged:
      gate_ = Gate::kDirty;
      break;
    case EventType::kValidationStarted:
      activity_ = "validating";
      break;
    case EventType::kValidationFinished:
      ShowValidation(event);
      break;
    case EventType::kGateRejected:
      ShowRejection(event);
      break;
    case EventType::kGateAccepted:
      gate_ = Gate::kAccepted;
      Line(absl::StrCat(Mark(true),
                        " gate accepted: ", OneLine(ReadRecord<GateAcceptedEvent>(event).outcome)));
      break;
    default:
      break;
  }
}

void ProgressView::ShowStory(const Event& event) {
  switch (event.type) {
    case EventType::kStoryStarted: {
      const auto story = ReadRecord<StoryStartedEvent>(event);
      step_ = "story";
      Line(In(Style::kBold, OneLine(absl::StrCat("story: ", story.story, " (run ", event.run_id,
                                                 ", branch ", story.branch, ")"))));
      break;
    }
    case EventType::kStepStarted: {
      const auto started = ReadRecord<StepStartedEvent>(event);
      step_ = OneLine(absl::StrCat("step ", started.step, " ", started.name));
      if (under_way_.empty()) {
        activity_ = kReading;
        has_turns_ = false;
      }
      under_way_.insert(static_cast<int64_t>(started.step));
      Line(In(Style::kBold, step_));
      break;
    }
    case EventType::kStepFinished: {
      const Json& data = event.data;
      const int64_t step = JsonInt(data, "step").value_or(0);
      under_way_.erase(step);
      const std::string reason = Text(data, "reason");
      const int64_t attempts = JsonInt(data, "attempts").value_or(1);
      Line(absl::StrCat(Mark(Text(data, "outcome") != "failed"), " step ", step, " ",
                        Text(data, "name"), ": ", Text(data, "outcome"),
                        reason.empty() ? "" : absl::StrCat(" (", reason, ")"),
                        attempts > 1 ? absl::StrCat(", ", attempts, " attempts") : ""));
      break;
    }
    default:
      break;
  }
}

void ProgressView::ShowWorkflow(const Event& event) {
  switch (event.type) {
    case EventType::kWorkflowStarted:
      step_ = "workflow";
      activity_.clear();
      Line(In(Style::kBold,
              OneLine(absl::StrCat("workflow: ", ReadRecord<WorkflowStartedEvent>(event).workflow,
                                   " (run ", event.run_id, ")"))));
      break;
    case EventType::kWorkflowStepStarted: {
      const auto started = ReadRecord<WorkflowStepStartedEvent>(event);
      step_ = PlaceOf(started.scope, started.step);
      activity_ = started.kind == "agent" ? kReading : OneLine(started.kind);
      has_turns_ = false;
      break;
    }
    case EventType::kWorkflowStepFinished:
      ShowWorkflowStep(event.data);
      break;
    case EventType::kWorkflowStepSkipped: {
      const auto skipped = ReadRecord<WorkflowStepSkippedEvent>(event);
      Line(In(Style::kDim,
              OneLine(absl::StrCat("- ", PlaceOf(skipped.scope, skipped.step),
                                   " skipped: ", skipped.reason,
                                   skipped.message.empty() ? "" : ", ", skipped.message))));
      break;
    }
    case EventType::kWorkflowJumped: {
      const auto jump = ReadRecord<WorkflowJumpedEvent>(event);
      Line(OneLine(absl::StrCat("→ ", jump.from, " leads to ", jump.to,
                                jump.scope.empty() ? "" : " in ", jump.scope)));
      break;
    }
    default:
      break;
  }
}

void ProgressView::ShowVerification(const Event& event) {
  switch (event.type) {
    case EventType::kRoundStart: {
      const auto round = ReadRecord<RoundStartEvent>(event);
      step_ = absl::StrCat("round ", round.round);
      activity_ = absl::StrCat("the ", OneLine(round.role), " reads");
      has_turns_ = false;
      break;
    }
    case EventType::kRoundComplete: {
      const auto round = ReadRecord<RoundCompleteEvent>(event);
      activity_.clear();
      Line(absl::StrCat("round ", round.round, ", ", OneLine(round.role), ": ", round.issues_raised,
                        " raised, ", round.issues_resolved, " resolved, ",
                        Elapsed(round.duration_ms)));
      for (const std::string& reason : Lines(round.rejected)) {
        Line(In(Style::kDim, absl::StrCat("  not taken: ", reason)));
      }
      break;
    }
    case EventType::kIssueRaised: {
      const auto issue = ReadRecord<IssueRaisedEvent>(event);
      Line(In(Style::kYellow,
              absl::StrCat("  + ", OneLine(absl::StrCat(issue.issue_id, " ", issue.severity, " ",
                                                        issue.location, "  ", issue.summary)))));
      break;
    }
    case EventType::kIssueResolved: {
      const auto issue = ReadRecord<IssueResolvedEvent>(event);
      Line(absl::StrCat("  - ", OneLine(absl::StrCat(issue.issue_id, " ", issue.reason))));
      break;
    }
    case EventType::kConvergenceCheck:
      if (options_.verbose) {
        const std::string reason = OneLine(ReadRecord<ConvergenceCheckEvent>(event).reason);
        Line(In(Style::kDim, absl::StrCat("  ", reason)));
      }
      break;
    case EventType::kError:
      Line(In(Style::kRed, absl::StrCat("! ", OneLine(ReadRecord<ErrorEvent>(event).error))));
      break;
    default:
      break;
  }
}

// Of a call: those of sub-agents, and of steps that run at the same time, have the same numbers.
std::string ProgressView::CallKey(const Json& data) {
  return absl::StrCat(JsonInt(data, "step").value_or(0), "/", Text(data, "agent"), "/",
                      JsonInt(data, "call").value_or(-1));
}

void ProgressView::ShowToolFinished(const Event& event) {
  const auto finished = ReadRecord<ToolFinishedEvent>(event);
  const auto found = calls_.find(CallKey(event.data));
  const std::string call = found == calls_.end() ? OneLine(finished.tool) : found->second;
  if (found != calls_.end()) calls_.erase(found);
  activity_.clear();
  if (told_) {  // a validation or the gate has said what came of it
    told_ = false;
    return;
  }
  Line(absl::StrCat(Mark(finished.ok), " ", call, "  ",
                    In(Style::kDim, Elapsed(finished.duration_ms))));
  if (finished.ok) return;
  const std::vector<absl::string_view> lines = SplitLines(finished.observation);
  if (!lines.empty()) Line(absl::StrCat("    ", FitColumns(OneLine(lines[0]), kMaxCallColumns)));
}

void ProgressView::ShowWorkflowStep(const Json& data) {
  const bool ok = Text(data, "verdict") == "passed";
  activity_.clear();
  const int64_t run = JsonInt(data, "run").value_or(1);
  Line(absl::StrCat(Mark(ok), " ", PlaceOf(Text(data, "scope"), Text(data, "step")),
                    run > 1 ? absl::StrCat(" (run ", run, ")") : "", "  ",
                    In(Style::kDim, Elapsed(JsonInt(data, "duration_ms").value_or(0)))));
  if (ok) return;
  std::vector<std::string> lines;
  const std::string message = JsonString(data, "message").value_or("");
  for (const absl::string_view line : SplitLines(message)) lines.push_back(OneLine(line));
  ShowList(lines);
}

void ProgressView::ShowValidation(const Event& event) {
  const auto finished = ReadRecord<ValidationFinishedEvent>(event);
  const std::string& verdict = finished.verdict;
  const bool ok = verdict == "pass" || verdict == "flaky_pass" || verdict == "removed";
  failures_ = finished.failures;
  gate_ = ok ? Gate::kClean : failures_ > 0 ? Gate::kFailed : Gate::kDirty;
  std::vector<std::string> names;
  std::vector<std::string> problems;
  for (const Json& target : finished.targets.is_array() ? finished.targets : Json::array()) {
    const std::string validator = Text(target, "validator");
    const std::string root = Text(target, "root");
    const int64_t errors = JsonInt(target, "errors").value_or(0);
    names.push_back(absl::StrCat(validator.empty() ? "no validator" : validator,
                                 root.empty() || root == "." ? "" : absl::StrCat(" ", root),
                                 errors > 0 ? absl::StrCat(" ", Count(errors, "error")) : ""));
    const Json* const first = JsonMember(target, "first_errors");
    const std::vector<std::string> shown = Lines(first == nullptr ? Json() : *first);
    problems.insert(problems.end(), shown.begin(), shown.end());
    const std::string message = Text(target, "message");
    if (shown.empty() && !message.empty()) problems.push_back(message);
  }
  Line(absl::StrCat(Mark(ok), " validation ", OneLine(verdict), names.empty() ? "" : ": ",
                    absl::StrJoin(names, ", "), "  ",
                    In(Style::kDim, Elapsed(finished.duration_ms))));
  ShowList(problems);
  activity_.clear();
  told_ = true;
}

void ProgressView::ShowRejection(const Event& event) {
  const auto rejected = ReadRecord<GateRejectedEvent>(event);
  if (gate_ != Gate::kFailed) gate_ = Gate::kDirty;
  Line(absl::StrCat(Mark(false), " gate rejected: ", OneLine(rejected.reason)));
  std::vector<std::string> remaining;
  for (const std::string& target : rejected.remaining) remaining.push_back(OneLine(target));
  ShowList(remaining);
  told_ = true;
}

void ProgressView::ShowList(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < std::min(lines.size(), kMaxShown); ++i) {
    Line(absl::StrCat("    ", lines[i]));
  }
  if (lines.size() > kMaxShown) Line(absl::StrCat("    … and ", lines.size() - kMaxShown, " more"));
}

void ProgressView::ShowText(Style style, const std::string& text) {
  for (const absl::string_view line : SplitLines(text)) {
    Line(In(style, OneLine(line)));
  }
}

void ProgressView::Warn(absl::string_view text) {
  Line(In(Style::kYellow, absl::StrCat("! ", text)));
}

std::string ProgressView::In(Style style, absl::string_view text) const {
  return Styled(options_.terminal, style, text);
}

std::string ProgressView::Mark(bool ok) const {
  return In(ok ? Style::kGreen : Style::kRed, ok ? "✓" : "✗");
}

}  // namespace stile
