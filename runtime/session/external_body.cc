#include "runtime/session/external_body.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/session/session_finish.h"

namespace stile {
namespace {

constexpr char kProvider[] = "external";  // as certificates name it

}  // namespace

bool IsExternal(const Json& start) { return start.contains(kExternal); }

ExternalWork ExternalWorkOf(const Json& start) {
  ExternalWork work;
  const Json* const kept = JsonMember(start, kExternal);
  if (kept == nullptr) return work;
  work.by = JsonString(*kept, "by").value_or("");
  work.key = JsonString(*kept, "key").value_or("");
  if (const Json* settings = JsonMember(*kept, "settings")) work.settings = *settings;
  return work;
}

ExternalBody::ExternalBody(Step step, ExternalWork work, absl::Duration time_limit)
    : step_(step),
      work_(std::move(work)),
      time_limit_(time_limit),
      author_{kProvider, work_.by.empty() ? kProvider : work_.by, true} {}

void ExternalBody::AdaptGate(GateSettings* settings) const { JudgeWithoutTools(settings); }

absl::Status ExternalBody::Begin(const RunPaths& /*run*/, GatedWorkspace* /*workspace*/,
                                 Json* start) {
  (*start)[kExternal] = {
      {"by", ToUtf8(author_.model)}, {"key", ToUtf8(work_.key)}, {"settings", work_.settings}};
  (*start)["task"] = absl::StrCat("changes by ", ToUtf8(author_.model));
  (*start)["model"] = kProvider;
  return absl::OkStatus();
}

absl::Status ExternalBody::CheckCanGoOn(const RunPaths& run, const RunHistory& /*history*/) const {
  return absl::FailedPreconditionError(
      absl::StrCat("session ", run.id,
                   " has ended and is not opened again: begin a new one with `stile gate begin`; "
                   "what it left unvalidated is judged then, too"));
}

absl::Status ExternalBody::Resume(const RunHistory& history, Json* resumed) {
  author_.model = ExternalWorkOf(history.start).by;
  (*resumed)[kExternal] = true;
  return absl::OkStatus();
}

// `rejections`: of earlier finishes.
void ExternalBody::Finish(const SessionView& session, int rejections, SessionEnd* end) const {
  if (time_limit_ != absl::InfiniteDuration()) session.deadline->Start(time_limit_);
  RunResult* const result = &end->result;
  const std::optional<std::string> refusal = AskToFinish(session, end);
  if (refusal.has_value()) FailSession(StopReason::kGateFailed, *refusal, result);
  // After a refusal, and after what kept the gate from an answer, the session can be asked again.
  // An agent whose host asks at the end of each turn must not be refused for ever.
  const int max_rejections = session.workspace->gate()->settings().max_failures;
  const bool is_end = refusal.has_value() ? rejections + 1 >= max_rejections
                                          : result->reason == StopReason::kGateFailed ||
                                                result->reason == StopReason::kInfraError;
  result->stays_open = !result->ok() && !is_end;
  if (refusal.has_value() && is_end) {
    absl::StrAppend(&result->message, "\n\nThis was refusal number ", rejections + 1,
                    " (gate.max_failures): the session has ended.");
  }
}

SessionEnd ExternalBody::Work(const SessionView& session, std::optional<RunHistory> history) {
  const absl::Duration start = session.services.clock->Monotonic();
  SessionEnd end;
  end.result.is_external = true;
  switch (step_) {
    case Step::kOpen:
      end.result.stays_open = true;
      break;
    case Step::kFinish:
      Finish(session, history.has_value() ? history->rejections : 0, &end);
      break;
    case Step::kGiveUp:
      FailSession(StopReason::kGaveUp, "given up; the files stay as they are", &end.result);
      break;
  }
  AddFigures(session, start, &end.result);
  return end;
}

}  // namespace stile
