#include "runtime/session/killed_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/journal/heartbeat.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/run_summary.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/snapshot.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxBaselineBytes = size_t{1} << 30;
// Beside calls: the edits of a session without a model, and a program under the gate.
constexpr char kEdits[] = "edits";
constexpr char kProgram[] = "program";
constexpr int64_t kClockSlackNs = 100'000'000;  // file systems read a coarser clock

// What the journal knows of the files.
struct Witnessed {
  // The hash of the content that a path was left with, in hex; "" : it was deleted.
  std::map<std::string, std::string> left;  // by path, as journals write it (ToUtf8)
  bool was_at_work = false;  // a process was killed during a tool call or a validation
};

// Reads a journal event by event.
class WitnessReader {
 public:
  Witnessed Read(const std::vector<Event>& events) {
    for (const Event& event : events) Take(event);
    NoteKill();
    return std::move(witnessed_);
  }

 private:
  using Call = std::pair<std::string, std::string>;  // agent and call

  static Call CallOf(const Json& data) {
    return {JsonString(data, "agent").value_or(""), DumpJson(data.value("call", Json()))};
  }

  void Take(const Event& event) {
    switch (event.type) {
      case EventType::kRunStarted:  // a command of a workflow is one long call
        is_command_ = JsonString(event.data, "kind") == kCommandKind;
        if (is_command_) open_.insert({"", kCommandKind});
        break;
      case EventType::kToolStarted:
        open_.insert(CallOf(event.data));
        break;
      case EventType::kToolFinished:
        open_.erase(CallOf(event.data));
        break;
      case EventType::kEditsStarted:
        open_.insert({"", kEdits});
        break;
      case EventType::kEditsFinished:
        open_.erase({"", kEdits});
        break;
      case EventType::kProgramStarted:
        open_.insert({"", kProgram});
        break;
      case EventType::kProgramFinished:
        open_.erase({"", kProgram});
        break;
      case EventType::kValidationStarted:
        is_validating_ = true;
        break;
      case EventType::kValidationFinished:
        is_validating_ = false;
        break;
      case EventType::kRunResumed:
        NoteKill();  // the process before this one was
        if (is_command_) open_.insert({"", kCommandKind});
        break;
      case EventType::kRunFinished:
        open_.clear();
        is_validating_ = false;
        break;
      case EventType::kWorkspaceChanged:
        NoteChanges(event.data.value("changes", Json::array()));
        break;
      default:
        break;
    }
  }

  void NoteKill() {
    witnessed_.was_at_work = witnessed_.was_at_work || !open_.empty() || is_validating_;
  }

  void NoteChanges(const Json& changes) {
    for (const Json& change : changes) {
      const auto path = JsonString(change, "path");
      if (path.has_value()) {
        witnessed_.left[*path] = JsonString(change, "sha256").value_or("");
      }
    }
  }

  Witnessed witnessed_;
  std::set<Call> open_;
  bool is_validating_ = false;
  bool is_command_ = false;
};

std::string HexOf(const FileRecord* file) { return file == nullptr ? "" : ToHex(file->hash); }

// When the nearest folder above `path` that is there was changed last.
int64_t FolderChangedAt(const std::string& workspace, const std::string& path) {
  std::string folder = path;
  while (folder != "." && !folder.empty()) {
    folder = DirName(folder);
    struct stat info {};
    if (stat(JoinPath(workspace, folder).c_str(), &info) == 0) {
      return absl::ToUnixNanos(absl::TimeFromTimespec(info.st_mtim));
    }
  }
  return std::numeric_limits<int64_t>::max();
}

// A run, and its workspace as it is now.
struct Sight {
  std::string workspace;
  WorkspaceState state;
  std::optional<IgnoreRules> rules;  // see ResumedBaseline
  Snapshot baseline;
  Snapshot now;
  std::set<uint64_t> inodes;  // of the baseline
  Witnessed witnessed;
  // Of an open session (ExternalBody) every difference is its own, whenever it was made.
  bool is_open = false;
  // Nanoseconds; what was written later, others wrote. Versions without a heartbeat: no bound.
  int64_t dead_by_ns = std::numeric_limits<int64_t>::max();
};

bool WasWrittenInTime(const Sight& sight, const std::string& path) {
  const FileRecord* const now = sight.now.Find(path);
  if (now == nullptr) return FolderChangedAt(sight.workspace, path) <= sight.dead_by_ns;
  // An older file that the baseline lacks was ignored then, or others moved its folder here; one
  // whose folder the run has moved keeps its inode.
  const bool is_older = now->ctime_ns < sight.baseline.taken_at_ns() - kClockSlackNs;
  if (is_older && !sight.baseline.Contains(path) && sight.inodes.count(now->inode) == 0) {
    return false;
  }
  return now->ctime_ns <= sight.dead_by_ns;
}

// nullopt: the difference is not the run's.
std::optional<RecordedChange> Attribute(const Sight& sight, const std::string& path) {
  const FileRecord* const now = sight.now.Find(path);
  if (sight.is_open) return ChangeBetween(path, sight.baseline.Find(path), now);
  const auto left = sight.witnessed.left.find(ToUtf8(path));
  const bool is_witnessed = left != sight.witnessed.left.end();
  const bool is_as_left = is_witnessed && left->second == HexOf(now);
  const bool is_of_call = sight.witnessed.was_at_work && WasWrittenInTime(sight, path);
  if (!is_witnessed && !is_of_call) return std::nullopt;
  RecordedChange change = ChangeBetween(path, sight.baseline.Find(path), now);
  if (is_as_left || is_of_call) return change;
  // Somebody wrote it since; the run left something else there.
  change.after.reset();
  const std::string bytes = absl::HexStringToBytes(left->second);
  if (bytes.size() == Sha256Digest().size()) {
    std::copy(bytes.begin(), bytes.end(), change.after.emplace().begin());
  }
  return change;
}

// The rules that the run began with: what is written into ignore files later hides nothing. `paths`
// are never ignored. nullopt in runs of older versions.
absl::StatusOr<std::optional<IgnoreRules>> KeptRules(const RunPaths& run,
                                                     std::vector<std::string> paths,
                                                     const WorkspaceState& state) {
  const auto text = DiskFileSystem()->ReadFile(run.ignore_rules, kMaxBaselineBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  STILE_RETURN_IF_ERROR(text.status());
  paths.insert(paths.end(), state.tracked.begin(), state.tracked.end());
  return IgnoreRules::Parse(*text, paths);
}

// `paths` count as part of the workspace whatever its ignore files say by now.
absl::StatusOr<WorkspaceState> StateOf(const RunStore& store, ProcessRunner* runner,
                                       const std::string& workspace, std::vector<std::string> paths,
                                       const RunPaths& run, const Json& start,
                                       std::optional<IgnoreRules>* rules) {
  STILE_ASSIGN_OR_RETURN(const std::string memory, store.WorkspaceDir(workspace));
  const WorkspaceMemory known = LoadWorkspaceMemory(DiskFileSystem(), WorkspaceMemoryFile(memory));
  NeverIgnored never_ignored = NeverIgnoredBy(known);
  never_ignored.paths.insert(never_ignored.paths.end(), std::make_move_iterator(paths.begin()),
                             std::make_move_iterator(paths.end()));
  STILE_ASSIGN_OR_RETURN(WorkspaceState state, DescribeWorkspace(runner, workspace, never_ignored));
  state.base_commit = JsonString(start, "base_commit").value_or("");
  STILE_ASSIGN_OR_RETURN(*rules, KeptRules(run, never_ignored.paths, state));
  if (rules->has_value()) state.rules = **rules;
  return state;
}

absl::StatusOr<Sight> LookAt(RunStore* store, ProcessRunner* runner, const RunPaths& run) {
  Sight sight;
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(run.baseline, kMaxBaselineBytes));
  STILE_ASSIGN_OR_RETURN(sight.baseline, ParseSnapshot(text));
  STILE_ASSIGN_OR_RETURN(const JournalContents journal, ReadJournal(run.journal));
  if (journal.events.empty()) {
    return absl::DataLossError(absl::StrCat("the journal of run ", run.id, " has no beginning"));
  }
  const Json& start = journal.events.front().data;
  sight.workspace = JsonString(start, "workspace").value_or("");
  if (!DirectoryExists(sight.workspace)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the folder ", sight.workspace, ", in which run ", run.id, " worked, is gone"));
  }
  // The run may have written ignore files that hide what it found.
  std::vector<std::string> found = {".gitignore"};
  for (const FileRecord& file : sight.baseline.files()) {
    found.push_back(file.path);
    sight.inodes.insert(file.inode);
  }
  STILE_ASSIGN_OR_RETURN(sight.state, StateOf(*store, runner, sight.workspace, std::move(found),
                                              run, start, &sight.rules));
  SnapshotTaker taker(sight.workspace, sight.state.rules, SystemClock());
  STILE_ASSIGN_OR_RETURN(sight.now, taker.Take(sight.baseline));
  sight.witnessed = WitnessReader().Read(journal.events);
  sight.is_open =
      start.contains(kExternal) && journal.events.back().type != EventType::kRunFinished;
  if (const auto time = LastAlive(run); time.has_value()) {
    sight.dead_by_ns = absl::ToUnixNanos(*time);
  }
  return sight;
}

// Puts those paths of the baseline to what they hold now.
Snapshot Rebase(const Sight& sight, const std::vector<std::string>& paths) {
  std::map<std::string, FileRecord> files;
  for (const FileRecord& file : sight.baseline.files()) files[file.path] = file;
  for (const std::string& path : paths) {
    const FileRecord* const now = sight.now.Find(path);
    if (now == nullptr) {
      files.erase(path);
    } else {
      files[path] = *now;
    }
  }
  std::vector<FileRecord> sorted;
  for (auto& [path, file] : files) sorted.push_back(std::move(file));
  return Snapshot(std::move(sorted), sight.baseline.taken_at_ns());
}

}  // namespace

absl::StatusOr<std::vector<RecordedChange>> ChangesOfKilledRun(RunStore* store,
                                                               ProcessRunner* runner,
                                                               const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const Sight sight, LookAt(store, runner, run));
  StoredBaselineContent content(sight.workspace, store->blobs(), &sight.state);
  std::vector<RecordedChange> changes;
  for (const FileChange& difference : DiffSnapshots(sight.baseline, sight.now)) {
    std::optional<RecordedChange> change = Attribute(sight, difference.path);
    if (!change.has_value()) continue;
    STILE_RETURN_IF_ERROR(KeepChanges({difference}, sight.baseline, sight.now, &content).status());
    changes.push_back(*std::move(change));
  }
  return changes;
}

std::string DifferingFile(const RunPaths& run) { return JoinPath(run.folder, "differing.json"); }

absl::StatusOr<ResumedBaseline> TakeUpBaseline(RunStore* store, ProcessRunner* runner,
                                               const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const Sight sight, LookAt(store, runner, run));
  STILE_ASSIGN_OR_RETURN(const JournalEnds ends, ReadJournalEnds(run.journal));
  std::set<std::string> own;
  const absl::StatusOr<std::vector<RecordedChange>> recorded = ReadChanges(run);
  const bool is_recorded = ends.last.type == EventType::kRunFinished && recorded.ok();
  if (is_recorded) {
    for (const RecordedChange& change : *recorded) own.insert(change.path);
  }
  ResumedBaseline resumed;
  resumed.rules = sight.rules;
  const auto differing = DiskFileSystem()->ReadFile(DifferingFile(run), kMaxBaselineBytes);
  if (differing.ok()) {
    STILE_ASSIGN_OR_RETURN(resumed.differing, ParseDiffering(*differing));
  } else if (!absl::IsNotFound(differing.status())) {
    return differing.status();
  }
  StoredBaselineContent content(sight.workspace, store->blobs(), &sight.state);
  for (const FileChange& difference : DiffSnapshots(sight.baseline, sight.now)) {
    const std::string& path = difference.path;
    if (is_recorded ? own.count(path) > 0 : Attribute(sight, path).has_value()) continue;
    resumed.foreign.push_back(path);
    const FileRecord* const now = sight.now.Find(path);
    if (now != nullptr) STILE_RETURN_IF_ERROR(content.Keep(*now));
  }
  if (resumed.foreign.empty()) {
    resumed.baseline = sight.baseline;
    return resumed;
  }
  resumed.baseline = Rebase(sight, resumed.foreign);
  STILE_RETURN_IF_ERROR(WriteFileAtomically(DiskFileSystem(), run.baseline,
                                            SerializeSnapshot(resumed.baseline), 0600));
  return resumed;
}

}  // namespace stile
