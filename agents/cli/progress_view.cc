#include "agents/cli/progress_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/journal/run_summary.h"

namespace stile {
namespace {

constexpr absl::Duration kRedrawInterval = absl::Milliseconds(100);
constexpr int kMaxCallColumns = 100;
constexpr size_t kMaxShown = 5;  // diagnostics and remaining targets

std::string Text(const Json& data, absl::string_view key) {
  return OneLine(JsonString(data, key).value_or(""));
}

std::string Elapsed(const Json& data, absl::string_view key = "duration_ms") {
  return FormatElapsed(absl::Milliseconds(JsonInt(data, key).value_or(0)));
}

// A step of a workflow, behind the item for which it runs.
std::string PlaceOf(const Json& data) {
  const std::string scope = Text(data, "scope");
  const std::string step = Text(data, "step");
  if (step.empty() || scope.empty()) return absl::StrCat(scope, step);
  return absl::StrCat(scope, scope.back() == '/' ? "" : ":", step);
}

// The elements of an array member; none if it is absent or no array.
std::vector<Json> Elements(const Json& data, absl::string_view key) {
  const Json* list = JsonMember(data, key);
  return list != nullptr && list->is_array() ? std::vector<Json>(list->begin(), list->end())
                                             : std::vector<Json>();
}

// Those of its elements that are text, each on one line.
std::vector<std::string> Lines(const Json& data, absl::string_view key) {
  std::vector<std::string> lines;
  for (const Json& element : Elements(data, key)) {
    if (element.is_string()) lines.push_back(OneLine(element.get<std::string>()));
  }
  return lines;
}

}  // namespace

std::string DescribeCall(const std::string& tool, const Json& arguments) {
  std::string detail;
  for (const char* key :
       {"command", "path", "pattern", "filePath", "projectPath", "message", "status"}) {
    detail = JsonString(arguments, key).value_or("");
    if (!detail.empty()) break;
  }
  return FitColumns(OneLine(absl::StrCat(tool, detail.empty() ? "" : " ", detail)),
                    kMaxCallColumns);
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
      Warn(absl::StrCat(JsonInt(data, "percent").value_or(0), "% of the token budget is used"));
      break;
    case EventType::kRepetitionWarning:
      Warn(absl::StrCat("the model has made the same call of ", Text(data, "tool"), " ",
                        JsonInt(data, "times").value_or(0), " times"));
      break;
    case EventType::kLog:
      if (options_.verbose || Text(data, "level") != "info") ShowText(Style::kYellow, data);
      break;
    default:
      break;
  }
}

void ProgressView::ShowConversation(const Event& event) {
  const Json& data = event.data;
  switch (event.type) {
    case EventType::kTurnStarted:
      turn_ = static_cast<int>(JsonInt(data, "turn").value_or(turn_ + 1));
      has_turns_ = true;
      if (activity_ == kReading) activity_.clear();
      break;
    case EventType::kModelRequest:
      activity_ = "waiting for the model";
      break;
    case EventType::kModelDelta:
      if (options_.verbose) Streamed(Style::kDim, JsonString(data, "text").value_or(""));
      break;
    case EventType::kModelNotice: {
      const bool discards = JsonBool(data, "discard_text").value_or(false);
      Warn(absl::StrCat(Text(data, "text"),
                        options_.verbose && discards ? "; the text above does not count" : ""));
      break;
    }
    case EventType::kModelResponse:
      if (const Json* reply = JsonMember(data, "reply")) {
        if (const Json* usage = JsonMember(*reply, "usage")) {
          tokens_ += JsonInt(*usage, "input_tokens").value_or(0) +
                     JsonInt(*usage, "output_tokens").value_or(0);
        }
      }
      activity_.clear();
      break;
    case EventType::kContextCompacted:
      Line(absl::StrCat("… the conversation was shortened: ",
                        Count(JsonInt(data, "left_out").value_or(0), "message"), " left out"));
      break;
    case EventType::kAgentStarted:
      Line(Styled(options_.terminal, Style::kBold,
                  FitColumns(absl::StrCat("sub-agent: ", Text(data, "task")), kMaxCallColumns)));
      break;
    case EventType::kObservation:
    case EventType::kAgentFinished:
      if (options_.verbose) ShowText(Style::kDim, data);
      break;
    default:
      break;
  }
}

void ProgressView::ShowWork(const Event& event) {
  const Json& data = event.data;
  switch (event.type) {
    case EventType::kToolStarted: {
      const Json* arguments = JsonMember(data, "arguments");
      activity_ = DescribeCall(JsonString(data, "tool").value_or(""),
                               arguments == nullptr ? Json() : *arguments);
      calls_[CallKey(data)] = activity_;
      told_ = false;
      break;
    }
    case EventType::kToolOutput:
      if (options_.verbose) Streamed(Style::kPlain, JsonString(data, "text").value_or(""));
      break;
    case EventType::kToolFinished:
      ShowToolFinished(data);
      break;
    case EventType::kEditsStarted:
      activity_ = "changing files";
      break;
    case EventType::kEditsFinished:
      if (options_.verbose || !JsonBool(data, "ok").value_or(false)) ShowText(Style::kDim, data);
      break;
    case EventType::kProgramStarted:
      Line(absl::StrCat(Styled(options_.terminal, Style::kBold, "▶"), " ",
                        FitColumns(Text(data, "command"), kMaxCallColumns)));
      Erase();
      suspended_ = true;  // the program has the terminal
      break;
    case EventType::kProgramFinished:
      suspended_ = false;
      if (!held_.empty()) write_(std::exchange(held_, ""));
      Line(absl::StrCat(Mark(JsonBool(data, "ok").value_or(false)), " ", Text(data, "text"), "  ",
                        Styled(options_.terminal, Style::kDim, Elapsed(data))));
      activity_.clear();
      break;
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
      ShowValidation(event.data);
      break;
    case EventType::kGateRejected:
      ShowRejection(event.data);
      break;
    case EventType::kGateAccepted:
      gate_ = Gate::kAccepted;
      Line(absl::StrCat(Mark(true), " gate accepted: ", Text(event.data, "outcome")));
      break;
    default:
      break;
  }
}

void ProgressView::ShowStory(const Event& event) {
  const Json& data = event.data;
  const int64_t step = JsonInt(data, "step").value_or(0);
  switch (event.type) {
    case EventType::kStoryStarted:
      step_ = "story";
      Line(Styled(options_.terminal, Style::kBold,
                  absl::StrCat("story: ", Text(data, "story"), " (run ", OneLine(event.run_id),
                               ", branch ", Text(data, "branch"), ")")));
      break;
    case EventType::kStepStarted:
      step_ = absl::StrCat("step ", step, " ", Text(data, "name"));
      if (under_way_.empty()) {
        activity_ = kReading;
        has_turns_ = false;
      }
      under_way_.insert(step);
      Line(Styled(options_.terminal, Style::kBold, step_));
      break;
    case EventType::kStepFinished: {
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
  const Json& data = event.data;
  switch (event.type) {
    case EventType::kWorkflowStarted:
      step_ = "workflow";
      activity_.clear();
      Line(Styled(options_.terminal, Style::kBold,
                  absl::StrCat("workflow: ", Text(data, "workflow"), " (run ",
                               OneLine(event.run_id), ")")));
      break;
    case EventType::kWorkflowStepStarted:
      step_ = PlaceOf(data);
      activity_ = Text(data, "kind") == "agent" ? kReading : Text(data, "kind");
      has_turns_ = false;
      break;
    case EventType::kWorkflowStepFinished:
      ShowWorkflowStep(data);
      break;
    case EventType::kWorkflowStepSkipped:
      Line(Styled(options_.terminal, Style::kDim,
                  absl::StrCat("- ", PlaceOf(data), " skipped: ", Text(data, "reason"),
                               Text(data, "message").empty() ? "" : ", ", Text(data, "message"))));
      break;
    case EventType::kWorkflowJumped:
      Line(absl::StrCat("→ ", Text(data, "from"), " leads to ", Text(data, "to"),
                        Text(data, "scope").empty() ? "" : " in ", Text(data, "scope")));
      break;
    default:
      break;
  }
}

void ProgressView::ShowVerification(const Event& event) {
  const Json& data = event.data;
  const std::string role = Text(data, "role");
  switch (event.type) {
    case EventType::kRoundStart:
      step_ = absl::StrCat("round ", JsonInt(data, "round").value_or(0));
      activity_ = absl::StrCat("the ", role, " reads");
      has_turns_ = false;
      break;
    case EventType::kRoundComplete:
      activity_.clear();
      Line(absl::StrCat("round ", JsonInt(data, "round").value_or(0), ", ", role, ": ",
                        JsonInt(data, "issuesRaised").value_or(0), " raised, ",
                        JsonInt(data, "issuesResolved").value_or(0), " resolved, ", Elapsed(data)));
      for (const std::string& reason : Lines(data, "rejected")) {
        Line(Styled(options_.terminal, Style::kDim, absl::StrCat("  not taken: ", reason)));
      }
      break;
    case EventType::kIssueRaised:
      Line(Styled(options_.terminal, Style::kYellow,
                  absl::StrCat("  + ", Text(data, "issueId"), " ", Text(data, "severity"), " ",
                               Text(data, "location"), "  ", Text(data, "summary"))));
      break;
    case EventType::kIssueResolved:
      Line(absl::StrCat("  - ", Text(data, "issueId"), " ", Text(data, "reason")));
      break;
    case EventType::kConvergenceCheck:
      if (options_.verbose) {
        Line(Styled(options_.terminal, Style::kDim, absl::StrCat("  ", Text(data, "reason"))));
      }
      break;
    case EventType::kError:
      Line(Styled(options_.terminal, Style::kRed, absl::StrCat("! ", Text(data, "error"))));
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

void ProgressView::ShowToolFinished(const Json& data) {
  const auto found = calls_.find(CallKey(data));
  const std::string call = found == calls_.end() ? Text(data, "tool") : found->second;
  if (found != calls_.end()) calls_.erase(found);
  const bool ok = JsonBool(data, "ok").value_or(false);
  activity_.clear();
  if (told_) {  // a validation or the gate has said what came of it
    told_ = false;
    return;
  }
  Line(absl::StrCat(Mark(ok), " ", call, "  ",
                    Styled(options_.terminal, Style::kDim, Elapsed(data))));
  if (!ok) {
    const std::string observation = JsonString(data, "observation").value_or("");
    const std::vector<absl::string_view> lines = SplitLines(observation);
    if (!lines.empty()) {
      Line(absl::StrCat("    ", FitColumns(OneLine(lines[0]), kMaxCallColumns)));
    }
  }
}

void ProgressView::ShowWorkflowStep(const Json& data) {
  const bool ok = Text(data, "verdict") == "passed";
  activity_.clear();
  const int64_t run = JsonInt(data, "run").value_or(1);
  Line(absl::StrCat(Mark(ok), " ", PlaceOf(data), run > 1 ? absl::StrCat(" (run ", run, ")") : "",
                    "  ", Styled(options_.terminal, Style::kDim, Elapsed(data, "duration_ms"))));
  if (ok) return;
  std::vector<std::string> lines;
  const std::string message = JsonString(data, "message").value_or("");
  for (const absl::string_view line : SplitLines(message)) lines.push_back(OneLine(line));
  ShowList(lines);
}

void ProgressView::ShowValidation(const Json& data) {
  const std::string verdict = Text(data, "verdict");
  const bool ok = verdict == "pass" || verdict == "flaky_pass" || verdict == "removed";
  failures_ = static_cast<int>(JsonInt(data, "failures").value_or(0));
  gate_ = ok ? Gate::kClean : failures_ > 0 ? Gate::kFailed : Gate::kDirty;
  std::vector<std::string> names;
  std::vector<std::string> problems;
  for (const Json& target : Elements(data, "targets")) {
    const std::string validator = Text(target, "validator");
    const std::string root = Text(target, "root");
    const int64_t errors = JsonInt(target, "errors").value_or(0);
    names.push_back(absl::StrCat(validator.empty() ? "no validator" : validator,
                                 root.empty() || root == "." ? "" : absl::StrCat(" ", root),
                                 errors > 0 ? absl::StrCat(" ", Count(errors, "error")) : ""));
    const std::vector<std::string> shown = Lines(target, "first_errors");
    problems.insert(problems.end(), shown.begin(), shown.end());
    const std::string message = Text(target, "message");
    if (shown.empty() && !message.empty()) problems.push_back(message);
  }
  Line(absl::StrCat(Mark(ok), " validation ", verdict, names.empty() ? "" : ": ",
                    absl::StrJoin(names, ", "), "  ",
                    Styled(options_.terminal, Style::kDim, Elapsed(data))));
  ShowList(problems);
  activity_.clear();
  told_ = true;
}

void ProgressView::ShowRejection(const Json& data) {
  if (gate_ != Gate::kFailed) gate_ = Gate::kDirty;
  Line(absl::StrCat(Mark(false), " gate rejected: ", Text(data, "reason")));
  ShowList(Lines(data, "remaining"));
  told_ = true;
}

void ProgressView::ShowList(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < std::min(lines.size(), kMaxShown); ++i) {
    Line(absl::StrCat("    ", lines[i]));
  }
  if (lines.size() > kMaxShown) Line(absl::StrCat("    … and ", lines.size() - kMaxShown, " more"));
}

void ProgressView::ShowText(Style style, const Json& data) {
  const std::string text = JsonString(data, "text").value_or("");
  for (const absl::string_view line : SplitLines(text)) {
    Line(Styled(options_.terminal, style, OneLine(line)));
  }
}

void ProgressView::Warn(absl::string_view text) {
  Line(Styled(options_.terminal, Style::kYellow, absl::StrCat("! ", text)));
}

std::string ProgressView::Mark(bool ok) const {
  return Styled(options_.terminal, ok ? Style::kGreen : Style::kRed, ok ? "✓" : "✗");
}

void ProgressView::Line(absl::string_view text) {
  const std::string line = absl::StrCat(mid_line_ ? "\n" : "", prefix_, text, "\n");
  if (suspended_) {  // somebody is being asked
    held_.append(line);
  } else {
    Erase();
    write_(line);
  }
  mid_line_ = false;
}

void ProgressView::Streamed(Style style, absl::string_view text) {
  if (text.empty()) return;
  Erase();
  const std::string printable = Printable(text);
  write_(Styled(options_.terminal, style, printable));
  mid_line_ = printable.back() != '\n';
}

void ProgressView::Erase() {
  if (!drawn_) return;
  drawn_ = false;
  const int columns = Columns();
  const bool is_narrower = columns < drawn_columns_ && options_.terminal.clears;
  if (is_narrower || options_.terminal.color) {
    // The terminal may have broken the line into several; the cursor is where the first begins. All
    // below the cursor is not cleared at once: some terminals would keep a copy.
    std::string erase = "\r\x1b[K";
    const int further = is_narrower ? (drawn_columns_ - 1) / columns : 0;
    for (int i = 0; i < further; ++i) erase += "\x1b[B\x1b[K";
    return write_(further > 0 ? absl::StrCat(erase, "\x1b[", further, "A") : erase);
  }
  // Under NO_COLOR and on simple terminals blanks do it.
  write_(absl::StrCat("\r", std::string(std::min(columns, drawn_columns_) - 1, ' '), "\r"));
}

std::string ProgressView::GateText() const {
  switch (gate_) {
    case Gate::kClean:
      return "gate clean";
    case Gate::kDirty:
      return "gate dirty";
    case Gate::kFailed:
      return absl::StrCat("gate failed ", failures_, "/", options_.max_failures);
    case Gate::kAccepted:
      return "gate accepted";
  }
  return "";
}

std::string ProgressView::StatusText() {
  std::vector<std::string> parts;
  if (!step_.empty() && step_ != "story") parts.push_back(step_);
  if (stopping_) parts.emplace_back("stopping; Ctrl-C again ends it at once");
  // Steps of workflows that are no agents have neither turns nor a gate.
  if (has_turns_) {
    parts.push_back(absl::StrCat(
        "turn ", turn_, options_.max_turns > 0 ? absl::StrCat("/", options_.max_turns) : ""));
  }
  if (!activity_.empty()) parts.push_back(activity_);
  if (has_turns_) parts.push_back(GateText());
  // The numbers come last, and a long activity must not push them out.
  const std::string numbers =
      absl::StrCat(" · ", absl::ToInt64Seconds(clock_->Monotonic() - started_), "s · ",
                   FormatCount(tokens_), " tokens");
  const int room = Columns() - 1 - static_cast<int>(numbers.size());
  return absl::StrCat(FitColumns(absl::StrJoin(parts, " · "), std::max(room, 10)), numbers);
}

// Nothing is drawn within a line of streamed text: it would be torn apart.
void ProgressView::Draw() {
  if (!options_.terminal.is_tty || suspended_ || mid_line_) return;
  const absl::Duration now = clock_->Monotonic();
  if (now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  Erase();
  // One column less than there are, so that the cursor does not wrap. It goes back to the first
  // one: a terminal that becomes narrower keeps it there, however many lines it makes of this one.
  // While the line is written nothing wraps, as the terminal may be narrower already than it says.
  drawn_columns_ = Columns();
  const std::string line = FitColumns(StatusText(), drawn_columns_ - 1);
  write_(options_.terminal.color
             ? absl::StrCat("\x1b[?7l", Styled(options_.terminal, Style::kDim, line), "\x1b[?7h\r")
             : absl::StrCat(line, "\r"));
  drawn_ = true;
}

void ProgressView::Tick() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Draw();
}

void ProgressView::SetStopping() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
}

void ProgressView::Suspend() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Erase();
  suspended_ = true;
}

void ProgressView::Resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  suspended_ = false;
  if (!held_.empty()) write_(std::exchange(held_, ""));
  Draw();
}

}  // namespace stile
