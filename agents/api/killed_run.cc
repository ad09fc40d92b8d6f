#include "agents/api/killed_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "agents/api/workspace_state.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/journal/journal.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/snapshot.h"

namespace stile {
namespace {

constexpr size_t kMaxBaselineBytes = size_t{1} << 30;

// What the journal knows of the files.
struct Witnessed {
  // The hash of the content that a path was left with, in hex; "" : it was deleted.
  std::map<std::string, std::string> left;  // by path, as journals write it (ToUtf8)
  bool was_at_work = false;  // a process was killed during a tool call or a validation
};

Witnessed ReadWitnessed(const std::vector<Event>& events) {
  Witnessed witnessed;
  std::set<std::pair<std::string, std::string>> open;  // agent and call
  bool is_validating = false;
  const auto call_of = [](const Json& data) {
    const Json call = data.value("call", Json());
    return std::make_pair(JsonString(data, "agent").value_or(""), DumpJson(call));
  };
  const auto note_kill = [&] {
    witnessed.was_at_work = witnessed.was_at_work || !open.empty() || is_validating;
  };
  for (const Event& event : events) {
    switch (event.type) {
      case EventType::kRunStarted:  // a command of a workflow is one long call
        if (JsonString(event.data, "kind") == kCommandKind) open.insert({"", kCommandKind});
        break;
      case EventType::kToolStarted:
        open.insert(call_of(event.data));
        break;
      case EventType::kToolFinished:
        open.erase(call_of(event.data));
        break;
      case EventType::kValidationStarted:
        is_validating = true;
        break;
      case EventType::kValidationFinished:
        is_validating = false;
        break;
      case EventType::kRunResumed:
        note_kill();  // the process before this one was
        break;
      case EventType::kRunFinished:
        open.clear();
        is_validating = false;
        break;
      case EventType::kWorkspaceChanged: {
        const Json changes = event.data.value("changes", Json::array());
        for (const Json& change : changes) {
          const auto path = JsonString(change, "path");
          if (path.has_value()) {
            witnessed.left[*path] = JsonString(change, "sha256").value_or("");
          }
        }
        break;
      }
      default:
        break;
    }
  }
  note_kill();
  return witnessed;
}

std::string HexOf(const FileRecord* file) { return file == nullptr ? "" : ToHex(file->hash); }

// nullopt: the difference is not the run's.
std::optional<KilledRunChange> Attribute(const std::string& path, const FileRecord* before,
                                         const FileRecord* now, const Witnessed& witnessed) {
  KilledRunChange found;
  const auto left = witnessed.left.find(ToUtf8(path));
  found.is_witnessed = left != witnessed.left.end();
  if (!found.is_witnessed && !witnessed.was_at_work) return std::nullopt;
  found.change = ChangeBetween(path, before, now);
  if (witnessed.was_at_work || left->second == HexOf(now)) return found;
  // Somebody wrote it since; the run left something else there.
  std::optional<Sha256Digest>& after = found.change.after;
  after.reset();
  const std::string bytes = absl::HexStringToBytes(left->second);
  if (bytes.size() == Sha256Digest().size()) {
    std::copy(bytes.begin(), bytes.end(), after.emplace().begin());
  }
  return found;
}

absl::StatusOr<WorkspaceState> StateOf(const RunStore& store, ProcessRunner* runner,
                                       const std::string& workspace, const Json& start) {
  std::vector<std::string> pending;
  STILE_ASSIGN_OR_RETURN(const std::string memory, store.WorkspaceDir(workspace));
  const WorkspaceMemory known = LoadWorkspaceMemory(DiskFileSystem(), WorkspaceMemoryFile(memory));
  for (const auto& [path, content] : known.pending) pending.push_back(path);
  STILE_ASSIGN_OR_RETURN(WorkspaceState state, DescribeWorkspace(runner, workspace, pending));
  state.base_commit = JsonString(start, "base_commit").value_or("");
  return state;
}

}  // namespace

absl::StatusOr<std::vector<KilledRunChange>> ChangesOfKilledRun(RunStore* store,
                                                                ProcessRunner* runner,
                                                                const RunPaths& run) {
  FileSystem* const fs = DiskFileSystem();
  STILE_ASSIGN_OR_RETURN(const std::string text, fs->ReadFile(run.baseline, kMaxBaselineBytes));
  STILE_ASSIGN_OR_RETURN(const Snapshot baseline, ParseSnapshot(text));
  STILE_ASSIGN_OR_RETURN(const JournalContents journal, ReadJournal(run.journal));
  if (journal.events.empty()) return std::vector<KilledRunChange>();
  const Json& start = journal.events.front().data;
  const std::string workspace = JsonString(start, "workspace").value_or("");
  if (!DirectoryExists(workspace)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the folder ", workspace, ", in which run ", run.id, " worked, is gone"));
  }
  STILE_ASSIGN_OR_RETURN(const WorkspaceState state, StateOf(*store, runner, workspace, start));
  SnapshotTaker taker(workspace, state.rules, SystemClock());
  STILE_ASSIGN_OR_RETURN(const Snapshot now, taker.Take(baseline));
  StoredBaselineContent content(workspace, store->blobs(), &state);
  const Witnessed witnessed = ReadWitnessed(journal.events);
  std::vector<KilledRunChange> changes;
  for (const FileChange& difference : DiffSnapshots(baseline, now)) {
    const FileRecord* const before = baseline.Find(difference.path);
    const FileRecord* const after = now.Find(difference.path);
    std::optional<KilledRunChange> change = Attribute(difference.path, before, after, witnessed);
    if (!change.has_value()) continue;
    if (before != nullptr) STILE_RETURN_IF_ERROR(content.Keep(*before));
    if (after != nullptr) STILE_RETURN_IF_ERROR(content.Keep(*after));
    changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace stile
