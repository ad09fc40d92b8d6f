#include "runtime/session/edits_body.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/session/session_finish.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/tool.h"

namespace stile {
namespace {

constexpr char kAuthor[] = "merge";  // as journals and certificates name it

// False where the session ends with that: `result` says why.
bool Make(const EditSet& edits, const SessionView& session, RunResult* result) {
  Gate* const gate = session.workspace->gate();
  session.events->Emit(EditsStartedEvent{edits.files.size(), gate->current().RootHash()});
  // Without that event in the journal undo could not tell who changed the files.
  if (const absl::Status status = session.journal->status(); !status.ok()) {
    FailSession(status, session, result);
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
  session.events->Emit(EditsFinishedEvent{changed.ok(), text});
  // The validation can take long, and undo needs these events.
  if (broken.ok()) broken = session.journal->SyncSoon();
  if (broken.ok() && !changed.ok()) {
    broken = IsDiskFull(changed.status()) ? changed.status()
                                          : ToolResult::FromStatus(changed.status()).fatal;
  }
  if (!broken.ok()) {
    FailSession(broken, session, result);
  } else if (!changed.ok()) {
    FailSession(StopReason::kGaveUp, std::move(text), result);
  } else {
    result->answer = std::move(text);
    return true;
  }
  return false;
}

}  // namespace

// In journals of older versions a language model of that name made the edits.
bool IsOfEdits(const Json& start) {
  return JsonString(start, "kind").value_or("run") == "run" &&
         JsonString(start, "model") == kAuthor;
}

EditsBody::EditsBody(std::string task, const EditSet* edits)
    : task_(std::move(task)), edits_(*edits), author_{kAuthor, kAuthor, true} {}

void EditsBody::AdaptGate(GateSettings* settings) const { JudgeWithoutTools(settings); }

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
    FailSession(absl::CancelledError(), session, &result);
  } else if (Make(edits_, session, &result)) {
    if (auto refusal = AskToFinish(session, &end)) {
      FailSession(StopReason::kGaveUp, *std::move(refusal), &result);
    }
  }
  AddFigures(session, start, &result);
  return end;
}

}  // namespace stile
