#include "runtime/session/session_finish.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/gate_texts.h"
#include "runtime/base/disk_full.h"
#include "runtime/event/loop_events.h"
#include "runtime/validation/report_text.h"

namespace stile {

void JudgeWithoutTools(GateSettings* settings) {
  settings->on_finish = GateSettings::OnFinish::kValidate;
  settings->names_tools = false;
}

void FailSession(StopReason reason, std::string message, RunResult* result) {
  result->outcome = RunState::kFailed;
  result->reason = reason;
  if (reason == StopReason::kGaveUp) result->answer = message;
  result->message = std::move(message);
}

void FailSession(const absl::Status& status, const SessionView& session, RunResult* result) {
  if (absl::IsCancelled(status) && session.deadline->passed()) {
    return FailSession(StopReason::kWallTime, "the time limit is used up", result);
  }
  if (absl::IsCancelled(status)) {
    return FailSession(StopReason::kCancelled, "cancelled", result);
  }
  FailSession(StopReason::kInternal, FailureText(status, session.run.id), result);
}

std::optional<std::string> AskToFinish(const SessionView& session, SessionEnd* end) {
  RunResult* const result = &end->result;
  const auto fail = [&](const absl::Status& status) {
    FailSession(status, session, result);
    return std::nullopt;
  };
  Gate* const gate = session.workspace->gate();
  std::string report_text;
  absl::StatusOr<Judgement> verdict = gate->JudgeFinish(/*validated=*/false);
  if (verdict.ok() && verdict->kind == Judgement::Kind::kNeedsValidation) {
    const absl::StatusOr<ValidationReport> report = gate->Validate({});
    if (!report.ok()) return fail(report.status());
    report_text =
        ValidationReportText(*report, session.services.file_system, session.workspace->workspace());
    if (auto stop = GateStopOf(*gate, report_text); stop.has_value()) {
      FailSession(stop->reason, std::move(stop->message), result);
      return std::nullopt;
    }
    verdict = gate->JudgeFinish(/*validated=*/true);
  }
  if (!verdict.ok()) return fail(verdict.status());
  if (session.deadline->cancellation()->cancelled()) return fail(absl::CancelledError());
  if (verdict->kind == Judgement::Kind::kRejected) {
    const std::string& refusal = verdict->observation;
    session.events->Emit(GateRejectedEvent{refusal, verdict->remaining});
    return absl::StrCat(refusal, report_text.empty() ? "" : "\n\n", report_text);
  }
  const bool ungated = verdict->kind == Judgement::Kind::kUngated;
  result->outcome = ungated                                        ? RunState::kUngated
                    : verdict->kind == Judgement::Kind::kUnchanged ? RunState::kUnchanged
                                                                   : RunState::kSucceeded;
  if (ungated) result->message = UngatedText(*verdict);
  session.events->Emit(GateAcceptedEvent{std::string(RunStateName(result->outcome)),
                                         gate->current().RootHash(), verdict->remaining});
  end->accepted = *std::move(verdict);
  return std::nullopt;
}

void AddFigures(const SessionView& session, absl::Duration start, RunResult* result) {
  const Gate& gate = *session.workspace->gate();
  for (const FileChange& change : gate.Changes()) result->changed.push_back(change.path);
  result->failures = gate.failures().in_a_row;
  result->duration = session.services.clock->Monotonic() - start;
}

}  // namespace stile
