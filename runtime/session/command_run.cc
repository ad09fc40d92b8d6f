#include "runtime/session/command_run.h"

#include <utility>

#include "runtime/agent_loop/run_result.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/session/killed_run.h"
#include "runtime/session/source_folders.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// That of the id that a killed process began, or a new one.
absl::StatusOr<RunPaths> FolderOf(RunStore* store, const std::string& run_id) {
  absl::StatusOr<RunPaths> known = store->Find(run_id);
  if (known.ok() && known->id == run_id) return known;
  return store->Create(run_id);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CommandRun>> CommandRun::Begin(
    const SessionServices& services, const std::string& workspace, const std::string& run_id,
    const std::string& task, CommandGround ground, const ProgramWrapper& wrapper) {
  STILE_ASSIGN_OR_RETURN(RunPaths run, FolderOf(services.store, run_id));
  STILE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Acquire(run));
  std::unique_ptr<CommandRun> command(
      new CommandRun(services, workspace, std::move(run), std::move(lock), std::move(ground)));
  const absl::Status status = command->Open(task, wrapper);
  if (status.ok()) return command;
  if (!FileExists(command->run_.journal)) RemoveTree(command->run_.folder).IgnoreError();
  return status;
}

absl::Status CommandRun::TakeBaseline(const ProgramWrapper& wrapper) {
  const auto take = [this](const Snapshot& known) {
    return SnapshotTaker(workspace_, ground_.state->rules, services_.clock).Take(known);
  };
  BlobStore* const blobs = services_.store->blobs();
  if (ground_.state != nullptr) {
    STILE_ASSIGN_OR_RETURN(ground_.latest, take(ground_.latest));
    StoredBaselineContent content(workspace_, blobs, ground_.state.get());
    bool is_valid = true;
    for (const FileChange& change : DiffSnapshots(ground_.at_state, ground_.latest)) {
      is_valid = is_valid && BaseName(change.path) != ".gitignore";
      const FileRecord* const file = ground_.latest.Find(change.path);
      if (file != nullptr) STILE_RETURN_IF_ERROR(content.Keep(*file));
    }
    if (is_valid) return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(const std::string memory_dir, services_.store->WorkspaceDir(workspace_));
  STILE_ASSIGN_OR_RETURN(
      const WorkspaceMemory memory,
      MemoryWithSourceFolders(services_.file_system, memory_dir, workspace_, *services_.languages));
  STILE_ASSIGN_OR_RETURN(WorkspaceState state,
                         InspectWorkspace(
                             services_.runner, wrapper, workspace_,
                             [](const std::string&) { return false; }, NeverIgnoredBy(memory)));
  ground_.state = std::make_shared<const WorkspaceState>(std::move(state));
  STILE_ASSIGN_OR_RETURN(ground_.latest, take(ground_.latest));
  ground_.at_state = ground_.latest;
  StoredBaselineContent content(workspace_, blobs, ground_.state.get());
  return KeepUncommitted(ground_.latest, *ground_.state, &content, blobs);
}

absl::Status CommandRun::Open(const std::string& task, const ProgramWrapper& wrapper) {
  start_ = services_.clock->Monotonic();
  STILE_RETURN_IF_ERROR(TakeBaseline(wrapper));
  uint64_t first_seq = 1;
  if (const auto journal = ReadJournal(run_.journal); journal.ok() && !journal->events.empty()) {
    STILE_ASSIGN_OR_RETURN(ResumedBaseline ground,
                           TakeUpBaseline(services_.store, services_.runner, run_));
    baseline_ = std::move(ground.baseline);
    first_seq = journal->events.back().seq + 1;
  } else {
    baseline_ = ground_.latest;
    STILE_RETURN_IF_ERROR(WriteFileAtomically(services_.file_system, run_.baseline,
                                              SerializeSnapshot(baseline_), 0600));
  }
  STILE_ASSIGN_OR_RETURN(journal_, JournalWriter::Open(run_.journal));
  events_.emplace(run_.id, services_.clock, first_seq, services_.secrets);
  events_->AddSink([this](const Event& event) { journal_->Append(event); });
  if (first_seq > 1) {
    events_->Emit(EventType::kRunResumed, {{"turns", 0}, {"workspace_changed", false}});
  } else {
    events_->Emit(EventType::kRunStarted, {{"kind", kCommandKind},
                                           {"task", ToUtf8(task)},
                                           {"workspace", ToUtf8(workspace_)},
                                           {"base_commit", ground_.state->base_commit},
                                           {"model", ""}});
  }
  heartbeat_.emplace(run_);
  // Not synced: what a dead process leaves is needed, and after a loss of power at most the record
  // of a command that was under way is gone.
  return journal_->status();
}

absl::StatusOr<std::vector<std::string>> CommandRun::End(const std::string& problem) {
  heartbeat_.reset();
  SnapshotTaker taker(workspace_, ground_.state->rules, services_.clock);
  STILE_ASSIGN_OR_RETURN(ground_.latest, taker.Take(ground_.latest));
  StoredBaselineContent content(workspace_, services_.store->blobs(), ground_.state.get());
  STILE_ASSIGN_OR_RETURN(
      const std::vector<RecordedChange> changes,
      KeepChanges(DiffSnapshots(baseline_, ground_.latest), baseline_, ground_.latest, &content));
  RunResult result;
  for (const RecordedChange& change : changes) result.changed.push_back(change.path);
  if (changes.empty()) {
    journal_.reset();
    STILE_RETURN_IF_ERROR(RemoveTree(run_.folder));
    return result.changed;
  }
  STILE_RETURN_IF_ERROR(WriteChanges(services_.file_system, run_, changes));
  result.outcome = problem.empty() ? RunState::kUngated : RunState::kFailed;
  result.reason = problem.empty() ? StopReason::kNone : StopReason::kStepFailed;
  result.message = ToUtf8(problem);
  result.duration = services_.clock->Monotonic() - start_;
  events_->Emit(EventType::kRunFinished, ToJson(result));
  STILE_RETURN_IF_ERROR(journal_->Sync());
  // The baseline stays: the step may fail behind its command, or be killed, and be done again.
  return result.changed;
}

}  // namespace stile
