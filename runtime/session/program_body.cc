#include "runtime/session/program_body.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/session/session_finish.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kProvider[] = "program";       // as certificates name it
constexpr size_t kMaxRefusalBytes = 100'000;  // one argument of a program has at most 128 KiB
constexpr int kSignalBase = 128;              // as shells tell of signals

std::string CommandText(const std::vector<std::string>& argv) {
  return ToUtf8(absl::StrJoin(argv, " "));
}

int ExitCodeOf(const ProcessResult& result) {
  return result.signal == 0 ? result.exit_code : kSignalBase + result.signal;
}

size_t CountMarks(const std::vector<std::string>& words) {
  size_t marks = 0;
  for (const std::string& word : words) {
    for (size_t at = word.find(kRefusalMark); at != std::string::npos;
         at = word.find(kRefusalMark, at + 1)) {
      ++marks;
    }
  }
  return marks;
}

}  // namespace

bool IsOfProgram(const Json& start) { return start.contains("program"); }

absl::Status ProgramIsNotResumed(const std::string& run_id) {
  return absl::FailedPreconditionError(absl::StrCat(
      run_id.empty() ? "the run" : absl::StrCat("run ", run_id),
      " was of a program under the gate, which is not resumed: start it again with `stile gate "
      "run`; what it left unvalidated is judged then, too"));
}

ProgramBody::ProgramBody(GatedProgram program)
    : program_(std::move(program)),
      author_{kProvider, program_.argv.empty() ? "" : BaseName(program_.argv[0]), true} {}

void ProgramBody::AdaptGate(GateSettings* settings) const { JudgeWithoutTools(settings); }

absl::Status ProgramBody::Begin(const RunPaths& /*run*/, GatedWorkspace* /*workspace*/,
                                Json* start) {
  if (program_.argv.empty()) return absl::InvalidArgumentError("there is no program to run");
  if (!program_.again.empty() && CountMarks(program_.again) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("the command after a refusal has no ",
                                                   kRefusalMark,
                                                   ": the program would not know what to do"));
  }
  // A path is meant from here; the program runs in the workspace.
  for (std::vector<std::string>* argv : {&program_.argv, &program_.again}) {
    if (argv->empty()) continue;
    STILE_ASSIGN_OR_RETURN(const std::string path,
                           FindExecutable(argv->front(), program_.environment));
    if (absl::StrContains(argv->front(), '/')) argv->front() = path;
  }
  Json words = Json::array();
  for (const std::string& word : program_.argv) words.push_back(ToUtf8(word));
  (*start)["program"] = std::move(words);
  (*start)["task"] = CommandText(program_.argv);
  (*start)["model"] = absl::StrCat(author_.provider, ":", ToUtf8(author_.model));
  return absl::OkStatus();
}

absl::Status ProgramBody::CheckCanGoOn(const RunPaths& run, const RunHistory& /*history*/) const {
  return ProgramIsNotResumed(run.id);
}

absl::Status ProgramBody::Resume(const RunHistory& /*history*/, Json* /*resumed*/) {
  return ProgramIsNotResumed("");
}

std::vector<std::string> ProgramBody::CommandAfter(const std::string& refusal) const {
  const std::string text = absl::StrReplaceAll(
      TruncateMiddle(ToUtf8(refusal),
                     kMaxRefusalBytes / std::max<size_t>(1, CountMarks(program_.again))),
      {{std::string(1, '\0'), " "}});
  std::vector<std::string> words = program_.again;
  for (std::string& word : words) word = absl::StrReplaceAll(word, {{kRefusalMark, text}});
  return words;
}

// False where that ends the session: `result` says why.
bool ProgramBody::RunOnce(const SessionView& session, int attempt,
                          const std::vector<std::string>& argv, RunResult* result) const {
  Gate* const gate = session.workspace->gate();
  session.events->Emit(ProgramStartedEvent{attempt, CommandText(argv), gate->current().RootHash()});
  // Without that event in the journal undo could not tell who changed the files.
  if (const absl::Status status = session.journal->Sync(); !status.ok()) {
    FailSession(status, session, result);
    return false;
  }
  ProcessRequest request;
  request.argv = argv;
  request.cwd = session.workspace->workspace();
  request.env = program_.environment;
  request.cancellation = session.deadline->cancellation();
  const absl::StatusOr<ProcessResult> ended = RunInForeground(request, program_.streams);
  const absl::Status looked = gate->Refresh().status();
  const std::string name = ToUtf8(BaseName(argv[0]));
  result->body_exit_code = ended.ok() ? ExitCodeOf(*ended) : -1;
  const bool is_stopped = ended.ok() && ended->end == ProcessResult::End::kCancelled;
  const bool is_late = session.deadline->passed();
  const std::string text =
      !ended.ok()   ? ToUtf8(ended.status().message())
      : !is_stopped ? absl::StrCat(name, " ended: ", ended->Description())
                    : absl::StrCat(name, " was stopped", is_late ? " at the time limit" : "");
  session.events->Emit(ProgramFinishedEvent{
      .attempt = attempt,
      .ok = ended.ok() && ended->ok(),
      .exit_code = *result->body_exit_code,
      .text = text,
      .duration_ms = ended.ok() ? absl::ToInt64Milliseconds(ended->duration) : 0});
  const absl::Status status = looked.ok() ? session.journal->SyncSoon() : looked;
  if (!status.ok()) {
    FailSession(status, session, result);
  } else if (session.deadline->cancellation()->cancelled()) {
    FailSession(absl::CancelledError(), session, result);
  } else if (!ended.ok() || !ended->ok()) {
    FailSession(StopReason::kGaveUp,
                absl::StrCat(text, ". The files are as it left them; the gate was not asked."),
                result);
  } else {
    return true;
  }
  return false;
}

SessionEnd ProgramBody::Work(const SessionView& session, std::optional<RunHistory> /*history*/) {
  const absl::Duration start = session.services.clock->Monotonic();
  const int max_refusals = session.workspace->gate()->settings().max_failures;
  if (program_.time_limit != absl::InfiniteDuration()) {
    session.deadline->Start(program_.time_limit);
  }
  SessionEnd end;
  std::vector<std::string> argv = program_.argv;
  for (int attempt = 1; RunOnce(session, attempt, argv, &end.result); ++attempt) {
    const std::optional<std::string> refusal = AskToFinish(session, &end);
    if (!refusal.has_value()) break;
    if (program_.again.empty() || attempt >= max_refusals) {
      FailSession(StopReason::kGateFailed, *refusal, &end.result);
      break;
    }
    argv = CommandAfter(*refusal);
  }
  AddFigures(session, start, &end.result);
  return end;
}

}  // namespace stile
