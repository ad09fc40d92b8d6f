#include "agents/api/external_session.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/agent_body.h"
#include "agents/api/run_undo.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/run_changes.h"
#include "runtime/session/gated_session.h"
#include "runtime/session/killed_run.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxNamed = 3;    // files of another run
constexpr size_t kMaxOthers = 10;  // other runs

absl::StatusOr<OpenSession> SessionOf(const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const JournalEnds ends, ReadJournalEnds(run.journal));
  return OpenSession{run.id, JsonString(ends.first.data, "workspace").value_or(""), ends.first.time,
                     ExternalWorkOf(ends.first.data)};
}

bool IsAt(const std::string& workspace, const std::string& folder) {
  return folder.empty() || folder == workspace || IsWithin(folder, workspace);
}

std::string NamesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (size_t i = 0; i < paths.size() && i < kMaxNamed; ++i) names.push_back(DisplayPath(paths[i]));
  if (paths.size() > kMaxNamed) names.push_back(absl::StrCat(paths.size() - kMaxNamed, " more"));
  return absl::StrJoin(names, ", ");
}

// "run 2026… (Fix the test)".
std::string NameOf(const RunSummary& run) {
  const std::string task = ToUtf8(run.task.substr(0, run.task.find('\n')));
  return absl::StrCat(run.outcome == "open" ? "session " : "run ", run.id,
                      task.empty() ? "" : absl::StrCat(" (", task, ")"));
}

// Why `other` may have written files of the session; "": nothing points to it.
std::string TraceOf(const RunStore& store, const RunSummary& other,
                    const std::set<std::string>& changed) {
  if (other.outcome == "open") {
    return absl::StrCat(NameOf(other), " is open here, too: each of the two counts every change");
  }
  if (other.outcome == "running") return absl::StrCat(NameOf(other), " works here now");
  const auto paths = store.Find(other.id);
  const auto changes = paths.ok() ? ReadChanges(*paths) : paths.status();
  if (!changes.ok()) return "";
  std::vector<std::string> shared;
  for (const RecordedChange& change : *changes) {
    if (changed.count(change.path) > 0) shared.push_back(change.path);
  }
  if (shared.empty()) return "";
  return absl::StrCat(NameOf(other), " changed ", NamesOf(shared), " in the meantime");
}

// A line for each run that was at work in the session's workspace since it began.
std::vector<std::string> OthersIn(const RunStore& store, const OpenSession& session,
                                  const std::vector<std::string>& changed) {
  std::vector<std::string> lines;
  const std::set<std::string> own(changed.begin(), changed.end());
  const auto runs = store.List(/*with_steps=*/false);
  if (!runs.ok()) return lines;
  for (const RunSummary& other : *runs) {
    const bool is_here = other.id != session.id && other.workspace == ToUtf8(session.workspace);
    if (!is_here || other.undone || other.started + other.duration < session.began) continue;
    std::string line = TraceOf(store, other, own);
    if (!line.empty()) lines.push_back(std::move(line));
    if (lines.size() == kMaxOthers) break;
  }
  return lines;
}

}  // namespace

absl::StatusOr<std::vector<OpenSession>> ListOpenSessions(const RunStore& store,
                                                          const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, store.List(/*with_steps=*/false));
  std::vector<OpenSession> sessions;
  for (const RunSummary& run : runs) {
    if (run.outcome != "open" || run.undone || !IsAt(run.workspace, folder)) continue;
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, store.Find(run.id));
    STILE_ASSIGN_OR_RETURN(OpenSession session, SessionOf(paths));
    sessions.push_back(std::move(session));
  }
  return sessions;
}

absl::StatusOr<RunResult> FinishExternal(const SessionContext& context, const RunPaths& run,
                                         bool give_up, const EventSink& sink) {
  STILE_RETURN_IF_ERROR(CheckNotUndone(run));
  STILE_ASSIGN_OR_RETURN(const OpenSession session, SessionOf(run));
  STILE_ASSIGN_OR_RETURN(const RunSummary summary, context.store->Summarize(run));
  if (summary.outcome != "open" && summary.outcome != "running") {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", run.id, " has ended (", summary.outcome,
                     "), so nothing that changed since is judged: begin a new one with `stile gate "
                     "begin`"));
  }
  const auto step = give_up ? ExternalBody::Step::kGiveUp : ExternalBody::Step::kFinish;
  STILE_ASSIGN_OR_RETURN(RunResult result, ContinueExternal(context, run, step, sink));
  if (result.reason == StopReason::kGateFailed) {
    for (const std::string& line : OthersIn(*context.store, session, result.changed)) {
      absl::StrAppend(&result.message, "\nAlso: ", line, ".");
    }
  }
  return result;
}

absl::StatusOr<SessionStatus> LookAtExternal(const SessionContext& context, const RunPaths& run) {
  SessionStatus status;
  STILE_ASSIGN_OR_RETURN(status.session, SessionOf(run));
  STILE_ASSIGN_OR_RETURN(const PastSession past, OpenPastSession(context, run));
  if (past.history.finished) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session ", run.id, " is not open any more; see `stile runs show ", run.id, "`"));
  }
  STILE_ASSIGN_OR_RETURN(ResumedBaseline ground,
                         TakeUpBaseline(context.store, context.runner, run));
  GatedWorkspaceOptions options;
  options.workspace = status.session.workspace;
  options.settings = context.options->config.gate;
  options.cancellation = context.cancellation;
  options.baseline = std::move(ground.baseline);
  options.rules = std::move(ground.rules);
  options.differing = std::move(ground.differing);
  options.base_commit = JsonString(past.history.start, "base_commit").value_or("");
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> workspace,
                         GatedWorkspace::Open(context, std::move(options)));
  Gate* const gate = workspace->gate();
  gate->Restore(past.history.validations);
  for (const FileChange& change : gate->Changes()) status.changed.push_back(change.path);
  for (const Blocker& open : gate->UnvalidatedTargets()) {
    status.remaining.push_back(LineOf(open));
  }
  status.failures = gate->failures().in_a_row;
  status.max_failures = gate->settings().max_failures;
  status.others = OthersIn(*context.store, status.session, status.changed);
  return status;
}

}  // namespace stile
