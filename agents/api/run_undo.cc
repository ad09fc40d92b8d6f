#include "agents/api/run_undo.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/workspace_claim.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/session/killed_run.h"
#include "runtime/story/story_history.h"
#include "runtime/story/story_undo.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct Part {
  RunPaths paths;
  RunSummary summary;
};

// A run and the runs of its steps, in the order of their beginnings.
struct Parts {
  RunSummary whole;
  std::vector<Part> here;  // in the workspace; the run itself where it has no steps
  // Of steps of a wave, in working trees of their own. What was taken over of them, parts in the
  // workspace did.
  std::vector<Part> elsewhere;
};

// Or it is open: what it has changed is recorded nowhere, too.
bool IsKilled(const RunSummary& run) {
  return run.outcome == "interrupted" || run.outcome == "open";
}

// Of a run whose lock this process holds: no other one works on it.
void NoteHeld(RunSummary* run) {
  if (run->outcome == "running") run->outcome = "interrupted";
}

absl::StatusOr<Parts> PartsOf(const RunStore& store, const RunPaths& run) {
  Parts parts;
  STILE_ASSIGN_OR_RETURN(parts.whole, store.Summarize(run));
  std::string workspace;
  if (parts.whole.kind == "story") {
    STILE_ASSIGN_OR_RETURN(const StoryHistory history, ReadStoryHistory(store, run));
    workspace = history.workspace;
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> steps, store.StepsOf(run.id));
  for (const RunSummary& other : steps) {
    STILE_ASSIGN_OR_RETURN(RunPaths paths, store.Find(other.id));
    const bool is_elsewhere = !workspace.empty() && other.workspace != workspace;
    (is_elsewhere ? parts.elsewhere : parts.here).push_back({std::move(paths), other});
  }
  if (parts.here.empty()) parts.here.push_back({run, parts.whole});
  return parts;
}

absl::StatusOr<std::vector<RecordedChange>> ChangesOfPart(const RunArchive& archive,
                                                          const Part& part) {
  const RunSummary& summary = part.summary;
  if (summary.outcome == "running") {
    return absl::FailedPreconditionError(absl::StrCat("a process is working on run ", part.paths.id,
                                                      "; what it changes is known ",
                                                      "when it has ended"));
  }
  // A story or a workflow of which no step has begun.
  if (summary.kind == "story" || summary.kind == "workflow" || summary.reason == kNotBegun) {
    return std::vector<RecordedChange>();
  }
  if (!IsKilled(summary) || summary.undone) {
    auto changes = ReadChanges(part.paths);
    if (!absl::IsNotFound(changes.status())) return changes;
  }
  // It was killed, or the disk refused to record what it had changed.
  auto found = ChangesOfKilledRun(archive.store, archive.runner, part.paths);
  if (absl::IsNotFound(found.status())) return std::vector<RecordedChange>();
  return found;
}

void Append(const std::vector<std::string>& more, std::vector<std::string>* list) {
  list->insert(list->end(), more.begin(), more.end());
}

void SortOnce(std::vector<std::string>* list) {
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

// A path that one part restored and another one could not is not restored.
void Settle(UndoReport* report) {
  for (auto* list : {&report->restored, &report->kept, &report->lost}) SortOnce(list);
  std::set<std::string> stays(report->kept.begin(), report->kept.end());
  stays.insert(report->lost.begin(), report->lost.end());
  auto& restored = report->restored;
  restored.erase(std::remove_if(restored.begin(), restored.end(),
                                [&](const std::string& path) { return stays.count(path) > 0; }),
                 restored.end());
}

// What a killed run had changed is recorded before it is gone.
absl::StatusOr<std::vector<RecordedChange>> Record(const RunArchive& archive, const Part& part) {
  STILE_ASSIGN_OR_RETURN(std::vector<RecordedChange> changes, ChangesOfPart(archive, part));
  const bool is_recorded = FileExists(part.paths.changes);
  if (!is_recorded || (IsKilled(part.summary) && !part.summary.undone)) {
    STILE_RETURN_IF_ERROR(WriteChanges(DiskFileSystem(), part.paths, changes));
  }
  return changes;
}

// Files that a killed process was about to change have their old content.
absl::Status Recover(const RunArchive& archive, const std::string& workspace) {
  return RecoverTransactions(DiskFileSystem(), archive.clock, archive.store->edits_dir(), workspace)
      .status();
}

class WholeUndo {
 public:
  WholeUndo(const RunArchive& archive, const RunPaths& run) : archive_(archive), run_(run) {}

  absl::StatusOr<UndoReport> Run(bool alone) {
    // No process goes on with it, or with a step of it, meanwhile.
    STILE_RETURN_IF_ERROR(Lock(run_));
    STILE_ASSIGN_OR_RETURN(Parts parts, PartsOf(*archive_.store, run_));
    for (auto* list : {&parts.here, &parts.elsewhere}) {
      for (Part& part : *list) {
        if (part.paths.id != run_.id) STILE_RETURN_IF_ERROR(Lock(part.paths));
        NoteHeld(&part.summary);
      }
    }
    STILE_RETURN_IF_ERROR(Claim(parts, alone));
    STILE_RETURN_IF_ERROR(CheckJournals(&parts));
    if (parts.here.front().paths.id != run_.id) STILE_RETURN_IF_ERROR(Note(run_, UndoReport()));
    for (const Part& part : parts.elsewhere) STILE_RETURN_IF_ERROR(EndElsewhere(part));
    std::vector<PartChanges> done;
    for (const Part& part : parts.here) {
      STILE_ASSIGN_OR_RETURN(std::vector<RecordedChange> changes, ChangesHere(part));
      STILE_RETURN_IF_ERROR(LeaveOutUndone(part, &changes));
      done.push_back({&part, std::move(changes)});
    }
    LeaveOutSettled(&done);
    for (auto item = done.rbegin(); item != done.rend(); ++item) {
      STILE_RETURN_IF_ERROR(TakeBack(*item->part, item->changes));
    }
    Settle(&report_);
    if (parts.whole.kind == "story") STILE_RETURN_IF_ERROR(TakeBackStory());
    STILE_RETURN_IF_ERROR(Note(run_, report_));
    return std::move(report_);
  }

 private:
  // Files, HEAD and branches change under whoever works there.
  absl::Status Claim(const Parts& parts, bool alone) {
    std::set<std::string> folders;
    for (const Part& part : parts.here) folders.insert(part.summary.workspace);
    if (parts.whole.kind == "story") {
      const auto history = ReadStoryHistory(*archive_.store, run_);
      if (history.ok()) folders.insert(history->home);
    }
    for (const std::string& folder : folders) {
      if (!DirectoryExists(folder)) continue;
      STILE_ASSIGN_OR_RETURN(FileLock claim, ClaimWorkspace(*archive_.store, folder, alone));
      claims_.push_back(std::move(claim));
    }
    return absl::OkStatus();
  }

  absl::Status Lock(const RunPaths& run) {
    STILE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Acquire(run));
    locks_.push_back(std::move(lock));
    return absl::OkStatus();
  }

  // Before anything is changed: what cannot be read must not pass for a run that did nothing.
  absl::Status CheckJournals(Parts* parts) {
    Part whole{run_, parts->whole};
    const bool has_steps = parts->here.front().paths.id != run_.id || !parts->elsewhere.empty();
    if (has_steps) STILE_RETURN_IF_ERROR(CheckJournal(has_steps, &whole));
    for (auto* list : {&parts->here, &parts->elsewhere}) {
      for (Part& part : *list) STILE_RETURN_IF_ERROR(CheckJournal(/*has_worked=*/false, &part));
    }
    return absl::OkStatus();
  }

  // `has_worked`: there is a proof of that elsewhere.
  absl::Status CheckJournal(bool has_worked, Part* part) {
    const RunPaths& paths = part->paths;
    const absl::Status read = ReadJournalEnds(paths.journal).status();
    if (!read.ok() && !absl::IsNotFound(read)) return read;
    const std::string about = absl::StrCat("run ", paths.id, ": ");
    if (read.ok()) {
      if (!IsKilled(part->summary) || part->summary.undone) return absl::OkStatus();
      STILE_ASSIGN_OR_RETURN(const JournalContents contents, ReadJournal(paths.journal));
      if (!contents.torn) return absl::OkStatus();
      report_.left.push_back(absl::StrCat(about, "the last line of its journal ",
                                          DisplayPath(paths.journal), " is torn; if the machine ",
                                          "stopped then, later changes may be unknown"));
      return absl::OkStatus();
    }
    // The summary of a run whose lock this process holds does not say so.
    part->summary.reason = std::string(kNotBegun);
    const auto outputs = ListDirectory(paths.outputs);
    if (has_worked || FileExists(paths.changes) || (outputs.ok() && !outputs->empty())) {
      return absl::DataLossError(
          absl::StrCat(paths.journal,
                       ": damaged journal: it holds no event, though the run did; what it "
                       "changed cannot be taken back: put the file back from a backup"));
    }
    if (FileExists(paths.journal) && FileExists(paths.baseline)) {
      report_.left.push_back(absl::StrCat(
          about, "its journal ", DisplayPath(paths.journal),
          " holds no event. If the run was killed ",
          "before it began, it changed nothing; else the journal was cut off, and what the run ",
          "changed is not known"));
    }
    return absl::OkStatus();
  }

  void LeaveGone(const std::string& folder) {
    std::string gone =
        absl::StrCat("folder ", DisplayPath(folder), ": it is gone; if it was moved, ",
                     "move it back and undo run ", run_.id, " again");
    auto& left = report_.left;
    if (std::find(left.begin(), left.end(), gone) == left.end()) left.push_back(std::move(gone));
  }

  // An earlier call put these paths back. What they hold now is not of this part: a call for the
  // whole run went on to what was there before the parts before it, or somebody changed them.
  static absl::Status LeaveOutUndone(const Part& part, std::vector<RecordedChange>* changes) {
    STILE_ASSIGN_OR_RETURN(const std::optional<UndoRecord> record, ReadUndone(part.paths));
    if (!record.has_value()) return absl::OkStatus();
    const std::set<std::string> restored(record->report.restored.begin(),
                                         record->report.restored.end());
    const auto is_undone = [&](const RecordedChange& change) {
      return restored.count(ToUtf8(change.path)) > 0 &&
             !NoLongerHeld(part.summary.workspace, {change}).empty();
    };
    changes->erase(std::remove_if(changes->begin(), changes->end(), is_undone), changes->end());
    return absl::OkStatus();
  }

  // Adds to what earlier calls noted.
  absl::Status Note(const RunPaths& run, const UndoReport& report) {
    STILE_ASSIGN_OR_RETURN(std::optional<UndoRecord> record, ReadUndone(run));
    if (!record.has_value()) record.emplace();
    record->time = archive_.clock->Now();
    record->begun_again = false;
    Append(report.restored, &record->report.restored);
    Append(report.removed, &record->report.removed);
    record->report.kept = report.kept;  // as it is now
    record->report.lost = report.lost;
    record->report.left = report.left;
    SortOnce(&record->report.removed);
    Settle(&record->report);
    return WriteUndone(DiskFileSystem(), run, *record);
  }

  struct PartChanges {
    const Part* part;
    std::vector<RecordedChange> changes;
  };

  // Recorded from now on, also where the part was killed.
  absl::StatusOr<std::vector<RecordedChange>> ChangesHere(const Part& part) {
    const std::string& workspace = part.summary.workspace;
    if (part.summary.reason == kNotBegun) return std::vector<RecordedChange>();
    if (!DirectoryExists(workspace)) {
      LeaveGone(workspace);
      return std::vector<RecordedChange>();
    }
    STILE_RETURN_IF_ERROR(Recover(archive_, workspace));
    return Record(archive_, part);
  }

  // Paths that hold what the first part found: an earlier call, or somebody else, put them back.
  // To a part between the first and the last one that would look like a change by somebody else.
  static void LeaveOutSettled(std::vector<PartChanges>* done) {
    std::map<std::string, bool> is_settled;
    for (const auto& [part, changes] : *done) {
      for (const RecordedChange& change : changes) {
        if (is_settled.count(change.path) > 0) continue;
        RecordedChange as_before = change;
        as_before.after = change.before;
        as_before.after_mode = change.before_mode;
        is_settled[change.path] = NoLongerHeld(part->summary.workspace, {as_before}).empty();
      }
    }
    for (auto& [part, changes] : *done) {
      changes.erase(
          std::remove_if(changes.begin(), changes.end(),
                         [&](const RecordedChange& change) { return is_settled[change.path]; }),
          changes.end());
    }
  }

  absl::Status TakeBack(const Part& part, const std::vector<RecordedChange>& changes) {
    if (part.summary.reason == kNotBegun) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(Note(part.paths, UndoReport()));
    if (changes.empty()) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(TakeBackChanges(part, changes));
    if (!IsKilled(part.summary) || !HasIgnoreFile(changes)) return absl::OkStatus();
    // The run's own ignore files hid more of its files.
    STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> now,
                           ChangesOfKilledRun(archive_.store, archive_.runner, part.paths));
    std::vector<RecordedChange> hidden;
    for (const RecordedChange& change : now) {
      const bool is_known =
          std::any_of(changes.begin(), changes.end(),
                      [&](const RecordedChange& known) { return known.path == change.path; });
      if (!is_known) hidden.push_back(change);
    }
    if (hidden.empty()) return absl::OkStatus();
    std::vector<RecordedChange> all = changes;
    all.insert(all.end(), hidden.begin(), hidden.end());
    STILE_RETURN_IF_ERROR(WriteChanges(DiskFileSystem(), part.paths, all));
    return TakeBackChanges(part, hidden);
  }

  static bool HasIgnoreFile(const std::vector<RecordedChange>& changes) {
    return std::any_of(changes.begin(), changes.end(), [](const RecordedChange& change) {
      return BaseName(change.path) == ".gitignore";
    });
  }

  absl::Status TakeBackChanges(const Part& part, const std::vector<RecordedChange>& changes) {
    STILE_ASSIGN_OR_RETURN(const UndoReport report, UndoChanges(DiskFileSystem(), archive_.store,
                                                                changes, part.summary.workspace));
    Append(report.restored, &report_.restored);
    Append(report.kept, &report_.kept);
    Append(report.lost, &report_.lost);
    return part.paths.id == run_.id ? absl::OkStatus() : Note(part.paths, report);
  }

  // Its working tree goes as a whole; what it held stays in the store.
  absl::Status EndElsewhere(const Part& part) {
    if (part.summary.reason == kNotBegun) return absl::OkStatus();
    if (DirectoryExists(part.summary.workspace)) {
      STILE_RETURN_IF_ERROR(Recover(archive_, part.summary.workspace));
      STILE_RETURN_IF_ERROR(Record(archive_, part).status());
    }
    return Note(part.paths, UndoReport());
  }

  absl::Status TakeBackStory() {
    STILE_ASSIGN_OR_RETURN(const StoryHistory history, ReadStoryHistory(*archive_.store, run_));
    if (!history.retry_of.empty()) {
      report_.left.push_back(absl::StrCat("what the steps before step ", history.first_step,
                                          " did: `stile runs undo ", history.retry_of,
                                          "` takes it back"));
    }
    STILE_ASSIGN_OR_RETURN(const std::string heir, GoesOnAs());
    if (!heir.empty()) {
      report_.left.push_back(absl::StrCat("branch ", history.branch, ": run ", heir,
                                          " goes on with this story; undo that one first"));
      return absl::OkStatus();
    }
    if (!DirectoryExists(history.home)) {
      LeaveGone(history.home);
      return absl::OkStatus();
    }
    return TakeBackGround(archive_.runner, archive_.store, run_.id, history, &report_);
  }

  // The run that retries this story and has not been undone; "" : none.
  absl::StatusOr<std::string> GoesOnAs() const {
    STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all,
                           archive_.store->List(/*with_steps=*/false));
    for (const RunSummary& other : all) {
      if (other.kind != "story" || other.undone || other.id == run_.id) continue;
      STILE_ASSIGN_OR_RETURN(const RunPaths paths, archive_.store->Find(other.id));
      const auto ends = ReadJournalEnds(paths.journal);
      if (ends.ok() && JsonString(ends->first.data, "retry_of") == run_.id) return other.id;
    }
    return "";
  }

  const RunArchive& archive_;
  const RunPaths& run_;
  std::vector<RunLock> locks_;
  std::vector<FileLock> claims_;
  UndoReport report_;
};

}  // namespace

absl::StatusOr<std::vector<RecordedChange>> ChangesOfRun(const RunArchive& archive,
                                                         const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const Parts parts, PartsOf(*archive.store, run));
  std::map<std::string, RecordedChange> merged;
  for (const Part& part : parts.here) {
    STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ChangesOfPart(archive, part));
    for (const RecordedChange& change : changes) {
      const auto [known, is_new] = merged.try_emplace(change.path, change);
      if (is_new) continue;
      known->second.after = change.after;
      known->second.after_mode = change.after_mode;
    }
  }
  std::vector<RecordedChange> result;
  for (auto& [path, change] : merged) {
    if (change.before == change.after && change.before_mode == change.after_mode) continue;
    result.push_back(std::move(change));
  }
  return result;
}

absl::StatusOr<UndoReport> UndoWholeRun(const RunArchive& archive, const RunPaths& run,
                                        bool alone) {
  return WholeUndo(archive, run).Run(alone);
}

absl::Status CheckNotUndone(const RunPaths& run) {
  if (!WasUndone(run)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "run ", run.id,
      " was undone or retried, so it has ended and there is nothing to go on with; start it "
      "again"));
}

absl::StatusOr<UndoReport> UndoStepToRetry(const RunArchive& archive, const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(RunSummary summary, archive.store->Summarize(run));
  NoteHeld(&summary);
  const Part part{run, std::move(summary)};
  STILE_RETURN_IF_ERROR(Recover(archive, part.summary.workspace));
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, Record(archive, part));
  STILE_ASSIGN_OR_RETURN(UndoReport report, UndoChanges(DiskFileSystem(), archive.store, changes,
                                                        part.summary.workspace));
  if (part.summary.undone || !report.kept.empty() || !report.lost.empty()) return report;
  STILE_RETURN_IF_ERROR(WriteUndone(DiskFileSystem(), run, {archive.clock->Now(), true, report}));
  return report;
}

}  // namespace stile
