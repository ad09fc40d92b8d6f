#include "runtime/session/gated_session.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/certificate/certificate.h"
#include "runtime/certificate/certificate_envelope.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/allowance.h"
#include "runtime/journal/heartbeat.h"
#include "runtime/session/killed_run.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxForeignShown = 10;

void Warn(const std::string& text, EventStream* events) {
  if (!text.empty()) events->Emit(Warning(text));
}

// What the session changed, with both contents in the store, for `runs diff` and `runs undo`.
absl::Status RecordChanges(const SessionView& session) {
  const Gate& gate = *session.workspace->gate();
  STILE_ASSIGN_OR_RETURN(
      const std::vector<RecordedChange> changes,
      KeepChanges(gate.Changes(), gate.baseline(), gate.current(), session.workspace->content()));
  return WriteChanges(session.services.file_system, session.run, changes);
}

// git's id of the base commit's tree with the accepted files in it; "" without git, or where git
// cannot tell.
std::string AcceptedTree(const SessionView& session,
                         const std::optional<std::vector<std::string>>& delivered) {
  const WorkspaceState& state = session.workspace->state();
  const Gate& gate = *session.workspace->gate();
  if (!state.repository.has_value()) return "";
  std::set<std::string> paths;
  if (delivered.has_value()) {
    paths.insert(delivered->begin(), delivered->end());
  } else {
    for (const auto& [path, content] : state.differing) paths.insert(path);
  }
  for (const FileChange& change : gate.Changes()) paths.insert(change.path);
  std::vector<std::string> listed;
  for (const std::string& path : paths) {
    const FileRecord* file = gate.current().Find(path);
    const bool special = file != nullptr && file->kind == FileRecord::Kind::kSpecial;
    if (!special) listed.push_back(state.prefix + path);
  }
  if (listed.empty() && !state.base_tree.empty()) return state.base_tree;
  const auto tree = state.repository->TreeWith(state.base_commit, listed);
  if (tree.ok()) return *tree;
  Warn(absl::StrCat("the certificate names no tree: ", tree.status().message()), session.events);
  return "";
}

absl::Status WriteCertificate(const SessionView& session, const ModelInfo& author,
                              const Judgement& accepted, const SessionRequest& request,
                              RunResult* result) {
  const SessionServices& services = session.services;
  GatedWorkspace* const workspace = session.workspace;
  Gate* const gate = workspace->gate();
  CertificateContext details;
  details.run_id = session.run.id;
  details.outcome = std::string(RunStateName(result->outcome));
  details.workspace = workspace->workspace();
  details.prefix = workspace->state().prefix;
  details.base_commit = workspace->state().base_commit;
  details.tree = AcceptedTree(session, request.delivered);
  details.provider = author.provider;
  details.model = author.model;
  details.usage = ToJson(result->usage);
  details.turns = result->turns;
  details.time = services.clock->Now();
  details.sandbox = workspace->sandbox()->description();
  Json statement = BuildCertificate(*gate, accepted, details);
  // git read the files after they were accepted: its tree is theirs only if they are the same
  // still.
  const std::string accepted_root = gate->WithoutOutputs().RootHash();
  STILE_RETURN_IF_ERROR(gate->Refresh().status());
  if (gate->WithoutOutputs().RootHash() != accepted_root) statement["predicate"]["tree"] = nullptr;
  std::string text = DumpJson(statement);
  if (services.signing_key != nullptr) text = SealCertificate(text, *services.signing_key);
  text.push_back('\n');
  STILE_RETURN_IF_ERROR(
      WriteFileAtomically(services.file_system, session.run.certificate, text, 0600));
  result->certificate = RunResult::CertificateRef{session.run.certificate, Sha256Hex(text)};
  return absl::OkStatus();
}

// A run that succeeded is never resumed.
void RemoveFilesForResuming(const SessionView& session) {
  FileSystem* const files = session.services.file_system;
  files->RemoveFile(session.run.baseline).IgnoreError();
  files->RemoveFile(session.run.ignore_rules).IgnoreError();
  files->RemoveFile(DifferingFile(session.run)).IgnoreError();
  files->RemoveFile(session.run.alive).IgnoreError();
  files->RemoveDir(session.run.outputs).IgnoreError();  // stays if there is something in it
}

// The body at work, and the records of how it ended.
absl::StatusOr<RunResult> Execute(const SessionView& session, const SessionRequest& request,
                                  SessionBody* body, std::optional<RunHistory> history) {
  const Heartbeat heartbeat(session.run);
  Warn(RestoredText(session.workspace->restored()), session.events);
  SessionEnd end = body->Work(session, std::move(history));
  RunResult& result = end.result;
  if (result.stays_open) {
    result.untrusted = request.untrusted;
    STILE_RETURN_IF_ERROR(session.journal->Sync());
    // Until it is accepted, other sessions answer for what it leaves, too.
    if (result.reason == StopReason::kGateFailed) {
      STILE_RETURN_IF_ERROR(session.workspace->gate()->Close(/*accepted=*/false));
    }
    return std::move(result);
  }
  const bool proven =
      result.outcome == RunState::kSucceeded || result.outcome == RunState::kUnchanged;
  absl::Status status;
  if (proven) status = WriteCertificate(session, body->author(), end.accepted, request, &result);
  if (status.ok()) status = session.workspace->gate()->Close(proven);
  if (status.ok()) status = RecordChanges(session);
  if (!status.ok()) {
    // Without its proof and its memory a success cannot be told from a claim.
    result.outcome = RunState::kFailed;
    result.reason = StopReason::kInternal;
    result.message = FailureText(WithContext(status, "the end of the run could not be recorded"),
                                 session.run.id);
    result.certificate.reset();
  }
  result.untrusted = request.untrusted;
  session.events->Emit(EventType::kRunFinished, ToJson(result));
  STILE_RETURN_IF_ERROR(session.journal->Sync());
  if (result.ok() && proven) RemoveFilesForResuming(session);
  return std::move(result);
}

void AddSinks(EventStream* events, JournalWriter* journal, const EventSink& sink) {
  events->AddSink([journal](const Event& event) { journal->Append(event); });
  if (sink) events->AddSink(sink);
}

GatedWorkspaceOptions WorkspaceOptions(const SessionRequest& request, const RunPaths& run,
                                       const SessionBody& body, const Deadline& deadline,
                                       EventStream* events) {
  GatedWorkspaceOptions options;
  options.workspace = request.workspace;
  options.settings = request.gate;
  options.settings.allow.insert(options.settings.allow.end(), request.allow.begin(),
                                request.allow.end());
  body.AdaptGate(&options.settings);
  options.cancellation = deadline.cancellation();
  options.events = events;
  options.outputs = run.outputs;
  return options;
}

absl::StatusOr<RunResult> StartIn(const SessionServices& services, const RunPaths& run,
                                  const SessionRequest& request, SessionBody* body) {
  EventStream events(run.id, services.clock, 1, services.secrets);
  Deadline deadline(services.cancellation);
  STILE_RETURN_IF_ERROR(deadline.status());
  STILE_ASSIGN_OR_RETURN(
      const std::unique_ptr<GatedWorkspace> workspace,
      GatedWorkspace::Open(services, WorkspaceOptions(request, run, *body, deadline, &events)));
  Json start = {{"kind", "run"},
                {"workspace", ToUtf8(request.workspace)},
                {"base_commit", workspace->state().base_commit},
                {"rules_sha256", request.rules_sha256}};
  start["allow"] = Json::array();
  for (const Allowance& allowance : request.allow) {
    start["allow"].push_back(ToUtf8(AllowanceText(allowance)));
  }
  for (const std::string& key : request.untrusted) start["untrusted"].push_back(ToUtf8(key));
  STILE_RETURN_IF_ERROR(body->Begin(run, workspace.get(), &start));
  const Snapshot& baseline = workspace->gate()->baseline();
  STILE_RETURN_IF_ERROR(
      KeepUncommitted(baseline, workspace->state(), workspace->content(), services.store->blobs()));
  STILE_RETURN_IF_ERROR(
      WriteFileAtomically(services.file_system, run.baseline, SerializeSnapshot(baseline), 0600));
  STILE_RETURN_IF_ERROR(WriteFileAtomically(services.file_system, run.ignore_rules,
                                            workspace->state().rules.Serialize(), 0600));
  STILE_RETURN_IF_ERROR(WriteFileAtomically(services.file_system, DifferingFile(run),
                                            SerializeDiffering(workspace->state().differing),
                                            0600));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<JournalWriter> journal,
                         JournalWriter::Open(run.journal));
  AddSinks(&events, journal.get(), request.on_event);
  events.Emit(EventType::kRunStarted, std::move(start));
  for (const std::string& text : request.warnings) Warn(text, &events);
  STILE_RETURN_IF_ERROR(journal->Sync());
  return Execute({services, run, workspace.get(), &events, journal.get(), &deadline}, request, body,
                 std::nullopt);
}

absl::Status CheckRules(const std::string& rules_sha256, const RunPaths& run,
                        const RunHistory& history) {
  if (JsonString(history.start, "rules_sha256") == rules_sha256) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the gate, permissions, sandbox, validators or languages are set otherwise than when run ",
      run.id,
      " began, and a run is judged by one set of rules: put stile.yaml and the user's "
      "configuration back, or start a new run"));
}

// Others may have moved it, or put a link in its place.
absl::Status CheckFolder(const std::string& run_id, const std::string& workspace) {
  const absl::StatusOr<std::string> real = RealPath(workspace);
  if (real.ok() && *real == workspace && DirectoryExists(workspace)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the folder ", workspace, ", in which run ", run_id, " worked, is ",
                   real.ok() ? "not a folder of its own any more" : "gone", "; put it back"));
}

bool EndedWithSuccess(const RunHistory& history) {
  const absl::StatusOr<RunResult> result = RunResultFromJson(history.finish);
  return history.finished && result.ok() && result->ok();
}

// Files that others changed while no process worked on the session.
void WarnOfForeign(const std::vector<std::string>& paths, EventStream* events) {
  if (paths.empty()) return;
  std::string text =
      "changed by others while the run was stopped, so not counted as its work, nor undone: ";
  for (size_t i = 0; i < paths.size() && i < kMaxForeignShown; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", DisplayPath(paths[i]));
  }
  if (paths.size() > kMaxForeignShown) {
    absl::StrAppend(&text, " and ", paths.size() - kMaxForeignShown, " more");
  }
  Warn(text, events);
}

// Which counters begin again, for readers of the events.
void LogResumed(const RunHistory& history, EventStream* events) {
  if (history.ended_by.empty()) return;
  events->Emit(LogEvent{
      .text = absl::StrCat("resumed after ", history.ended_by,
                           ": failed validations, validator errors, repetitions and unusable "
                           "replies in a row are counted from 0 again")});
}

}  // namespace

bool PastSession::ended_with_success() const { return EndedWithSuccess(history); }

absl::StatusOr<RunResult> StartSession(const SessionServices& services,
                                       const SessionRequest& request, SessionBody* body) {
  STILE_ASSIGN_OR_RETURN(const RunPaths run, services.store->Create(request.run_id));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  absl::StatusOr<RunResult> result = StartIn(services, run, request, body);
  if (!result.ok() && !FileExists(run.journal)) RemoveTree(run.folder).IgnoreError();
  return result;
}

absl::StatusOr<PastSession> OpenPastSession(const SessionServices& services, const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(JournalContents contents, ReadJournal(run.journal, services.secrets));
  STILE_ASSIGN_OR_RETURN(RunHistory history, ReplayEvents(contents.events));
  return PastSession{run, std::move(lock), std::move(history), std::move(contents.events.back())};
}

absl::StatusOr<RunResult> StoredResult(const SessionServices& services, const PastSession& past,
                                       const EventSink& on_event) {
  if (on_event) {
    Event end = past.last;
    if (services.secrets != nullptr) services.secrets->MaskFields(&end.data);
    on_event(end);
  }
  return RunResultFromJson(past.history.finish);
}

absl::Status CheckCanContinue(const RunPaths& run, const std::string& rules_sha256,
                              const SessionBody& body) {
  STILE_ASSIGN_OR_RETURN(const JournalContents contents, ReadJournal(run.journal));
  STILE_ASSIGN_OR_RETURN(const RunHistory history, ReplayEvents(contents.events));
  if (EndedWithSuccess(history)) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckRules(rules_sha256, run, history));
  return history.finished ? body.CheckCanGoOn(run, history) : absl::OkStatus();
}

absl::StatusOr<RunResult> ContinueSession(const SessionServices& services,
                                          const SessionRequest& request, PastSession past,
                                          SessionBody* body) {
  const RunPaths& run = past.run;
  RunHistory& history = past.history;
  STILE_RETURN_IF_ERROR(CheckRules(request.rules_sha256, run, history));
  if (history.finished) {
    STILE_RETURN_IF_ERROR(body->CheckCanGoOn(run, history));
    history.Reopen();
  }
  STILE_RETURN_IF_ERROR(CheckFolder(run.id, request.workspace));
  Json resumed = {{"turns", history.CountTurns()}};
  STILE_RETURN_IF_ERROR(body->Resume(history, &resumed));
  STILE_ASSIGN_OR_RETURN(const Restored restored,
                         RecoverTransactions(services.file_system, services.clock,
                                             services.store->edits_dir(), request.workspace));
  STILE_ASSIGN_OR_RETURN(ResumedBaseline ground,
                         TakeUpBaseline(services.store, services.runner, run));

  EventStream events(run.id, services.clock, history.last_seq + 1, services.secrets);
  Deadline deadline(services.cancellation);
  STILE_RETURN_IF_ERROR(deadline.status());
  GatedWorkspaceOptions options = WorkspaceOptions(request, run, *body, deadline, &events);
  options.baseline = std::move(ground.baseline);
  options.rules = std::move(ground.rules);
  options.differing = std::move(ground.differing);
  options.base_commit = JsonString(history.start, "base_commit").value_or("");
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> workspace,
                         GatedWorkspace::Open(services, std::move(options)));
  Gate* const gate = workspace->gate();
  gate->Restore(history.validations);
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<JournalWriter> journal,
                         JournalWriter::Open(run.journal));
  AddSinks(&events, journal.get(), request.on_event);
  resumed["workspace_changed"] =
      !history.root.empty() && history.root != gate->current().RootHash();
  if (!history.ended_by.empty()) resumed["after"] = history.ended_by;
  events.Emit(EventType::kRunResumed, std::move(resumed));
  for (const std::string& text : request.warnings) Warn(text, &events);
  LogResumed(history, &events);
  WarnOfForeign(ground.foreign, &events);
  Warn(RestoredText(restored), &events);
  STILE_RETURN_IF_ERROR(gate->RevalidatePassed());
  return Execute({services, run, workspace.get(), &events, journal.get(), &deadline}, request, body,
                 std::move(history));
}

}  // namespace stile
