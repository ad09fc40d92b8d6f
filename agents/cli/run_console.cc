#include "agents/cli/run_console.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "agents/api/config.h"
#include "agents/api/provider_secrets.h"
#include "agents/api/user_folders.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/signals.h"
#include "agents/cli/verify_command.h"
#include "agents/cli/workflow_run.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/journal/run_store.h"
#include "runtime/tool/tool.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 20;
constexpr std::chrono::milliseconds kTick{100};

absl::string_view Headline(RunState outcome) {
  switch (outcome) {
    case RunState::kSucceeded:
      return "Succeeded";
    case RunState::kUnchanged:
      return "Unchanged: nothing differs from the start";
    case RunState::kUngated:
      return "Finished without the gate (gate.mode: observe)";
    case RunState::kReady:
    case RunState::kThinking:
    case RunState::kActing:
    case RunState::kValidating:
    case RunState::kObserving:
    case RunState::kFinishing:
    case RunState::kFailed:
      return "Failed";
  }
  return "";
}

// The flag that has to raise the limit at which a run ended; "" for other ends.
absl::string_view RaisedLimit(StopReason reason) {
  if (reason == StopReason::kMaxTurns) return " --max-turns N";
  if (reason == StopReason::kTokenBudget) return " --max-tokens N";
  if (reason == StopReason::kCostBudget) return " --max-cost USD";
  if (reason == StopReason::kWallTime) return " --max-time SECONDS";
  return "";
}

// "$0.0123, "; "" where the model has no price.
std::string FormatCost(double dollars) {
  return dollars > 0 ? absl::StrFormat("$%.4f, ", dollars) : "";
}

bool IsOfProgram(const RunResult& result) { return result.body_exit_code.has_value(); }

bool HasAgent(const RunResult& result) { return !IsOfProgram(result) && !result.is_external; }

// "3 turns, 4.1k tokens, $0.0123, "; "" where no model was asked.
std::string FormatUse(const RunResult& result) {
  if (!HasAgent(result)) return "";
  return absl::StrCat(Count(result.turns, "turn"), ", ", FormatCount(result.usage.total()),
                      " tokens, ", FormatCost(result.usage.cost_usd));
}

// "Stopped by you; changed 2 files (a.py, b.py); undo with …; go on with …".
std::string FormatStopped(const RunResult& result, const std::string& run_id, bool by_person,
                          const Terminal& terminal) {
  constexpr size_t kMaxNamed = 3;
  std::string names;
  for (size_t i = 0; i < std::min(result.changed.size(), kMaxNamed); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "", OneLine(result.changed[i]));
  }
  if (result.changed.size() > kMaxNamed) names += ", …";
  std::string text = absl::StrCat(
      Styled(terminal, Style::kYellow, by_person ? "Stopped by you" : "Stopped"), "; ");
  if (result.changed.empty()) {
    text += "changed nothing";
  } else {
    absl::StrAppend(&text, "changed ", Count(result.changed.size(), "file"), " (", names, ")");
  }
  if (!run_id.empty()) {
    const std::string id = OneLine(run_id);
    if (!result.changed.empty()) absl::StrAppend(&text, "; undo with `stile runs undo ", id, "`");
    if (result.stays_open) {
      absl::StrAppend(&text, "; the session stays open: `stile gate finish ", id, "`");
    }
    if (HasAgent(result)) absl::StrAppend(&text, "; go on with `stile runs resume ", id, "`");
  }
  return absl::StrCat(text, "\n", FormatUse(result), FormatElapsed(result.duration), "\n");
}

}  // namespace

std::string FormatSummary(const RunResult& result, const std::string& run_id,
                          const std::string& details, const Terminal& terminal) {
  const bool ok = result.ok();
  if (result.reason == StopReason::kCancelled) {
    return FormatStopped(result, run_id, WasInterrupted(), terminal) + details;
  }
  const absl::string_view reason = StopReasonName(result.reason);
  const absl::string_view headline = !result.stays_open ? Headline(result.outcome)
                                     : result.reason == StopReason::kGateFailed
                                         ? "Refused, and the session stays open"
                                         : "No verdict, and the session stays open";
  std::string text = absl::StrCat(Styled(terminal, ok ? Style::kGreen : Style::kRed, headline),
                                  reason.empty() ? "" : absl::StrCat(" (", reason, ")"), ": ",
                                  Count(result.changed.size(), "changed file"), ", ",
                                  FormatUse(result), FormatElapsed(result.duration), "\n");
  const std::string message = Printable(absl::StripTrailingAsciiWhitespace(result.message));
  const std::string answer = Printable(absl::StripTrailingAsciiWhitespace(result.answer));
  if (!message.empty()) absl::StrAppend(&text, message, "\n");
  if (!answer.empty() && answer != message) absl::StrAppend(&text, "\n", answer, "\n");
  if (!result.changed.empty()) absl::StrAppend(&text, "\nChanged:\n");
  for (size_t i = 0; i < std::min(result.changed.size(), kMaxListed); ++i) {
    absl::StrAppend(&text, "  ", OneLine(result.changed[i]), "\n");
  }
  if (result.changed.size() > kMaxListed) {
    absl::StrAppend(&text, "  … and ", result.changed.size() - kMaxListed, " more\n");
  }
  text += details;
  for (const std::string& key : result.untrusted) {
    absl::StrAppend(&text, "Not used: ", OneLine(key), " (not trusted; see stile trust)\n");
  }
  if (result.certificate) {
    absl::StrAppend(&text, "Certificate: ", OneLine(result.certificate->path), "\n");
  }
  if (!run_id.empty()) {
    const std::string id = OneLine(run_id);
    absl::StrAppend(&text, "Look further: stile runs show ", id);
    if (!result.changed.empty()) {
      absl::StrAppend(&text, " · stile runs diff ", id, " · stile runs undo ", id);
    }
    text += '\n';
    if (result.stays_open) {
      absl::StrAppend(&text, "Go on: change the files, then stile gate finish ", id, "\n");
    } else if (!ok && HasAgent(result)) {
      absl::StrAppend(&text, "Go on: stile runs resume ", id, RaisedLimit(result.reason), "\n");
    }
  }
  return text;
}

void PrintRefusal(const absl::Status& why_not, const std::string& run_id, uint64_t seq,
                  const std::string& request_id) {
  RunResult result;
  const int code = ExitCodeOf(why_not);
  result.reason = code == 2     ? StopReason::kRefused
                  : code == 130 ? StopReason::kCancelled
                                : StopReason::kInternal;
  result.message = std::string(why_not.message());
  Json event =
      ToJson(Event{EventType::kRunFinished, seq, SystemClock()->Now(), run_id, ToJson(result)});
  if (!request_id.empty()) event["id"] = request_id;
  PrintJson(event);
}

int ReportRefusal(const CliContext& context, const absl::Status& why_not) {
  if (context.json) PrintRefusal(why_not, "", 1, "");
  return ReportStatus(why_not);
}

RunConsole::RunConsole(const CliContext& context, bool json, AgentOptions* options,
                       std::string request_id, std::string run_id)
    : context_(context),
      json_(json || context.json),
      cancellation_(options->cancellation),
      switch_(CancelOnSignals()),
      request_id_(std::move(request_id)),
      run_id_(std::move(run_id)) {
  options->on_event = [this](const Event& event) { OnEvent(event); };
  const bool person = !json_ && isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  if (person && cancellation_ != nullptr) {
    options->on_ask = [this](const ToolSpec& spec, const Json& arguments) {
      return Ask(spec, arguments);
    };
    options->on_question = [this](const std::string& question) { return AskText(question); };
    options->on_form = options->on_question;
  }
  if (json_ || context.quiet) return;
  ProgressView::Options view;
  view.terminal = DescribeTerminal(STDERR_FILENO, context.environment);
  view.verbose = context.verbose;
  view.max_turns = options->config.limits.max_turns;
  view.max_failures = options->config.gate.max_failures;
  view.columns = [otherwise = view.terminal.columns] {
    return TerminalColumns(STDERR_FILENO, otherwise);
  };
  view_ = std::make_unique<ProgressView>(
      view, SystemClock(), [](absl::string_view text) { WriteAll(STDERR_FILENO, text); });
  if (!view.terminal.is_tty) return;
  view_->Tick();
  ticker_ = TryStartThread([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, kTick, [this] { return stopping_; })) {
      if (cancellation_ != nullptr && cancellation_->cancelled()) view_->SetStopping();
      view_->Tick();
    }
  });
}

RunConsole::~RunConsole() { StopProgress(); }

void RunConsole::StopProgress() {
  if (ticker_.joinable()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    ticker_.join();
  }
  view_.reset();
}

void RunConsole::OnEvent(const Event& event) {
  if (run_id_.empty()) run_id_ = event.run_id;
  if (json_) {
    Json line = ToJson(event);
    last_seq_ = event.seq;
    is_finished_ = is_finished_ || event.type == EventType::kRunFinished;
    if (event.type == EventType::kRunFinished && !request_id_.empty()) line["id"] = request_id_;
    // Nobody reads any more: the run ends as if it had been interrupted.
    if (!PrintJson(line)) switch_->Cancel();
  }
  if (view_) view_->OnEvent(event);
}

bool RunConsole::Ask(const ToolSpec& spec, const Json& arguments) {
  const std::lock_guard<std::mutex> lock(asking_);  // runs beside each other ask one by one
  if (always_.count(spec.name) > 0) return true;
  if (view_) view_->Suspend();
  const std::string detail = DumpJson(arguments, 2);
  WriteAll(STDERR_FILENO,
           absl::StrCat(spec.name, " ", Printable(TruncateMiddle(detail, 4000)), "\n"));
  bool allowed = false;
  std::string line;
  while (true) {
    WriteAll(STDERR_FILENO, "Allow? [y]es, [n]o, [a]lways for this tool in this run: ");
    if (!LineReader(STDIN_FILENO).Next(cancellation_, &line)) break;
    const std::string reply = absl::AsciiStrToLower(absl::StripAsciiWhitespace(line));
    if (reply == "a" || reply == "always") always_.insert(spec.name);
    allowed = reply == "y" || reply == "yes" || reply == "a" || reply == "always";
    if (allowed || reply == "n" || reply == "no") break;
  }
  if (view_) view_->Resume();
  return allowed;
}

std::optional<std::string> RunConsole::AskText(const std::string& question) {
  const std::lock_guard<std::mutex> lock(asking_);
  if (view_) view_->Suspend();
  WriteAll(STDERR_FILENO, absl::StrCat(Printable(question), "\n> "));
  std::string line;
  const bool answered = LineReader(STDIN_FILENO).Next(cancellation_, &line);
  if (view_) view_->Resume();
  return answered ? std::optional<std::string>(line) : std::nullopt;
}

int RunConsole::Finish(const absl::Status& why_not) {
  StopProgress();
  const absl::Status told = WithWayOn(why_not);
  if (json_ && !is_finished_) PrintRefusal(told, run_id_, last_seq_ + 1, request_id_);
  return ReportStatus(told);
}

absl::Status RunConsole::WithWayOn(const absl::Status& why_not) const {
  if (!IsDiskFull(why_not) || run_id_.empty()) return why_not;
  // Whether it had begun, and had not ended well.
  const auto folder = StateDir(context_.environment);
  if (!folder.ok()) return why_not;
  const RunStore store(DiskFileSystem(), *folder);
  const auto run = store.Find(run_id_);
  if (!run.ok()) return why_not;
  const auto summary = store.Summarize(*run);
  if (!summary.ok() || summary->reason == kNotBegun) return why_not;
  const bool goes_on =
      summary->outcome == "interrupted" || summary->outcome == RunStateName(RunState::kFailed);
  if (!goes_on) return why_not;
  return absl::Status(why_not.code(), FailureText(why_not, run_id_));
}

int RunConsole::Finish(const absl::StatusOr<RunResult>& result) {
  if (!result.ok()) return Finish(result.status());
  StopProgress();
  // Every stream of events ends with run_finished, also where the journal goes on.
  if (json_ && !is_finished_ && result->stays_open) {
    PrintJson(ToJson(Event{EventType::kRunFinished, last_seq_ + 1, SystemClock()->Now(), run_id_,
                           ToJson(*result)}));
  }
  return Summarize(*result, "");
}

int RunConsole::Finish(const absl::StatusOr<StoryResult>& result) {
  if (!result.ok()) return Finish(result.status());
  StopProgress();
  std::string details = "\nSteps:\n";
  for (const StepOutcome& step : result->steps) {
    absl::StrAppend(
        &details, step.result.ok() && step.unmet.empty() ? "  ✓ " : "  ✗ ", OneLine(step.name),
        ": ", RunStateName(step.result.outcome),
        step.result.ok() ? "" : absl::StrCat(" (", StopReasonName(step.result.reason), ")"), ", ",
        Count(step.result.turns, "turn"),
        step.attempts > 1 ? absl::StrCat(", ", step.attempts, " attempts") : "", "\n");
    for (const std::string& unmet : step.unmet)
      absl::StrAppend(&details, "      ", OneLine(unmet), "\n");
  }
  if (!result->branch.empty()) absl::StrAppend(&details, "Branch: ", OneLine(result->branch), "\n");
  if (!result->commit.empty()) absl::StrAppend(&details, "Commit: ", OneLine(result->commit), "\n");
  if (!result->workspace.empty()) {
    absl::StrAppend(&details, "Workspace: ", OneLine(result->workspace), "\n");
  }
  return Summarize(result->overall, details);
}

int RunConsole::Finish(const absl::StatusOr<WorkflowOutcome>& result) {
  if (!result.ok()) return Finish(result.status());
  StopProgress();
  std::string details =
      FormatSteps(result->workflow, DescribeTerminal(STDOUT_FILENO, context_.environment));
  if (const auto summary = JsonString(result->workflow.report, "summary")) {
    absl::StrAppend(&details, "\n", Printable(*summary), "\n");
  }
  if (!result->report_path.empty()) {
    absl::StrAppend(&details, "Report: ", OneLine(result->report_path), "\n");
  }
  return Summarize(result->overall, details);
}

int RunConsole::Finish(const absl::StatusOr<VerificationOutcome>& result) {
  if (!result.ok()) return Finish(result.status());
  StopProgress();
  return Summarize(
      result->overall,
      FormatIssues(result->state, DescribeTerminal(STDOUT_FILENO, context_.environment)));
}

int RunConsole::Summarize(const RunResult& result, const std::string& details) {
  if (!json_) {
    // Standard output belongs to a program under the gate.
    const int stream = IsOfProgram(result) ? STDERR_FILENO : STDOUT_FILENO;
    const Terminal terminal = DescribeTerminal(stream, context_.environment);
    const SecretMasker secrets = ProviderSecrets(context_.environment);
    RunResult shown = result;
    shown.message = secrets.Mask(result.message);
    shown.answer = secrets.Mask(result.answer);
    const std::string summary = FormatSummary(shown, run_id_, details, terminal);
    if (stream == STDOUT_FILENO) {
      Print(summary);
    } else {
      WriteAll(stream, summary);
    }
  }
  return result.exit_code();
}

}  // namespace stile
