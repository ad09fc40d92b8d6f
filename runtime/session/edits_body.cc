#include "runtime/session/edits_body.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/gate_texts.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/report_text.h"

namespace stile {
namespace {

constexpr char kAuthor[] = "merge";  // as journals and certificates name it

void Fail(StopReason reason, std::string message, RunResult* result) {
  result->outcome = RunState::kFailed;
  result->reason = reason;
  if (reason == StopReason::kGaveUp) result->answer = message;
  result->message = std::move(message);
}

void FailBecause(const absl::Status& status, const SessionView& session, RunResult* result) {
  if (absl::IsCancelled(status)) return Fail(StopReason::kCancelled, "cancelled", result);
  Fail(StopReason::kInternal, FailureText(status, session.run.id), result);
}

std::string ReportText(const ValidationReport& report, const SessionView& session) {
  return ValidationReportText(report, session.services.file_system, session.workspace->workspace());
}

// False where the session ends with that: `result` says why.
bool Make(const EditSet& edits, const SessionView& session, RunResult* result) {
  Gate* const gate = session.workspace->gate();
  session.events->Emit(
      EventType::kEditsStarted,
      {{"files", edits.files.size()}, {"workspace_sha256", gate->current().RootHash()}});
  // Without that event in the journal undo could not tell who changed the files.
  if (const absl::Status status = session.journal->status(); !status.ok()) {
    FailBecause(status, session, result);
    return false;
  }
  const absl::StatusOr<std::vector<std::string>> changed =
      MakeEdits(session.services.file_system, session.workspace->workspace(),
                session.services.store->edits_dir(), edits);
  std::string text;
  if (!changed.ok()) {
    text = ToUtf8(changed.status().message());
  } else if (changed->empty()) {
    text = "Nothing had to be changed.";
  } else {
    text = absl::StrCat("Took over ", Count(changed->size(), "file"), ":");
    for (const std::string& path : *changed) absl::StrAppend(&text, "\n", DisplayPath(path));
  }
  absl::Status broken = gate->Refresh().status();
  session.events->Emit(EventType::kEditsFinished, {{"ok", changed.ok()}, {"text", text}});
  // The validation can take long, and undo needs these events.
  if (broken.ok()) broken = session.journal->SyncSoon();
  if (broken.ok() && !changed.ok()) {
    broken = IsDiskFull(changed.status()) ? changed.status()
                                          : ToolResult::FromStatus(changed.status()).fatal;
  }
  if (!broken.ok()) {
    FailBecause(broken, session, result);
  } else if (!changed.ok()) {
    Fail(StopReason::kGaveUp, std::move(text), result);
  } else {
    result->answer = std::move(text);
    return true;
  }
  return false;
}

// Accepts or refuses what the edits left.
void Judge(const SessionView& session, SessionEnd* end) {
  RunResult* const result = &end->result;
  Gate* const gate = session.workspace->gate();
  std::string report_text;
  absl::StatusOr<Judgement> verdict = gate->JudgeFinish(/*validated=*/false);
  if (verdict.ok() && verdict->kind == Judgement::Kind::kNeedsValidation) {
    const absl::StatusOr<ValidationReport> report = gate->Validate({});
    if (!report.ok()) return FailBecause(report.status(), session, result);
    report_text = ReportText(*report, session);
    if (auto stop = GateStopOf(*gate, report_text); stop.has_value()) {
      return Fail(stop->reason, std::move(stop->message), result);
    }
    verdict = gate->JudgeFinish(/*validated=*/true);
  }
  if (!verdict.ok()) return FailBecause(verdict.status(), session, result);
  if (session.deadline->cancellation()->cancelled()) {
    return FailBecause(absl::CancelledError(), session, result);
  }
  if (verdict->kind == Judgement::Kind::kRejected) {
    session.events->Emit(EventType::kGateRejected,
                         {{"reason", verdict->observation}, {"remaining", verdict->remaining}});
    return Fail(StopReason::kGaveUp,
                absl::StrCat(verdict->observation, report_text.empty() ? "" : "\n\n", report_text),
                result);
  }
  const bool ungated = verdict->kind == Judgement::Kind::kUngated;
  result->outcome = ungated                                        ? RunState::kUngated
                    : verdict->kind == Judgement::Kind::kUnchanged ? RunState::kUnchanged
                                                                   : RunState::kSucceeded;
  if (ungated) result->message = UngatedText(*verdict);
  session.events->Emit(EventType::kGateAccepted,
                       {{"outcome", std::string(RunStateName(result->outcome))},
                        {"workspace_sha256", gate->current().RootHash()},
                        {"remaining", verdict->remaining}});
  end->accepted = *std::move(verdict);
}

}  // namespace

// In journals of older versions a language model of that name made the edits.
bool IsOfEdits(const Json& start) {
  return JsonString(start, "kind").value_or("run") == "run" &&
         JsonString(start, "model") == kAuthor;
}

EditsBody::EditsBody(std::string task, const EditSet* edits)
    : task_(std::move(task)), edits_(*edits), author_{kAuthor, kAuthor, true} {}

// There is no agent that could call code.validate.
void EditsBody::AdaptGate(GateSettings* settings) const {
  settings->on_finish = GateSettings::OnFinish::kValidate;
}

absl::Status EditsBody::Begin(const RunPaths& /*run*/, GatedWorkspace* /*workspace*/, Json* start) {
  (*start)["task"] = ToUtf8(task_);
  (*start)["model"] = kAuthor;
  return absl::OkStatus();
}

absl::Status EditsBody::CheckCanGoOn(const RunPaths& /*run*/, const RunHistory& /*history*/) const {
  return absl::OkStatus();
}

absl::Status EditsBody::Resume(const RunHistory& /*history*/, Json* /*resumed*/) {
  return absl::OkStatus();
}

SessionEnd EditsBody::Work(const SessionView& session, std::optional<RunHistory> history) {
  Clock* const clock = session.services.clock;
  const absl::Duration start =
      clock->Monotonic() - (history.has_value() ? history->elapsed : absl::ZeroDuration());
  SessionEnd end;
  RunResult& result = end.result;
  if (session.deadline->cancellation()->cancelled()) {
    FailBecause(absl::CancelledError(), session, &result);
  } else if (Make(edits_, session, &result)) {
    Judge(session, &end);
  }
  const Gate& gate = *session.workspace->gate();
  for (const FileChange& change : gate.Changes()) result.changed.push_back(change.path);
  result.failures = gate.failures();
  result.duration = clock->Monotonic() - start;
  return end;
}

}  // namespace stile
