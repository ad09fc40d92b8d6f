#include "agents/cli/runs_diff.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxDiffBytes = size_t{1} << 30;

// A folder of its own that is gone when this object is.
class ScratchFolder {
 public:
  explicit ScratchFolder(const RunPaths& run)
      : path_(absl::StrCat(run.folder, "/diff-", RandomHex(8))) {}
  ~ScratchFolder() { RemoveTree(path_).IgnoreError(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// The runs of a story's steps, in order; the run itself when it is no story. Without those in
// working trees of their own: what was taken over of them, runs in the story's workspace did.
absl::StatusOr<std::vector<RunPaths>> PartsOf(RunStore* store, const RunPaths& run) {
  std::string workspace;
  if (const auto summary = store->Summarize(run); summary.ok() && summary->kind == "story") {
    STILE_ASSIGN_OR_RETURN(const StoryHistory history, ReadStoryHistory(*store, run));
    workspace = history.workspace;
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all, store->List(/*with_steps=*/true));
  std::vector<std::pair<absl::Time, std::string>> steps;
  for (const RunSummary& other : all) {
    if (!absl::StartsWith(other.id, run.id + ".")) continue;
    if (!workspace.empty() && other.workspace != workspace) continue;
    steps.emplace_back(other.started, other.id);
  }
  if (steps.empty() || FileExists(run.changes)) return std::vector<RunPaths>{run};
  std::sort(steps.begin(), steps.end());
  std::vector<RunPaths> parts;
  for (const auto& [started, id] : steps) {
    STILE_ASSIGN_OR_RETURN(parts.emplace_back(), store->Find(id));
  }
  return parts;
}

// A path as git fast-import reads it.
std::string Quoted(absl::string_view path) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(path, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

// Relative, without detours, and not git's own: what a run can have changed.
bool IsPlainPath(const std::string& path) {
  if (path.empty() || path[0] == '/' || path == "." || CleanPath(path) != path) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  return std::none_of(parts.begin(), parts.end(), [](absl::string_view part) {
    return part == ".." || absl::EqualsIgnoreCase(part, ".git");
  });
}

absl::string_view GitMode(uint32_t mode) {
  return S_ISLNK(mode) ? "120000" : (mode & 0100) != 0 ? "100755" : "100644";
}

// One side of the changes as a commit for git fast-import.
absl::StatusOr<std::string> ImportSide(RunStore* store, const std::vector<RecordedChange>& changes,
                                       bool after) {
  std::string stream = absl::StrCat("commit refs/heads/", after ? "after" : "before",
                                    "\ncommitter Stile <stile@localhost> 0 +0000\ndata 0\n");
  for (const RecordedChange& change : changes) {
    if (!IsPlainPath(change.path)) {
      return absl::DataLossError(absl::StrCat("the run records a change of ", OneLine(change.path),
                                              ", which is no path ", "inside a workspace"));
    }
    const auto& hash = after ? change.after : change.before;
    if (!hash) continue;
    const auto content = store->blobs()->Get(*hash);
    if (!content.ok()) {
      return WithContext(content.status(),
                         absl::StrCat("the content of ", OneLine(change.path), " is not stored"));
    }
    absl::StrAppend(&stream, "M ", GitMode(after ? change.after_mode : change.before_mode),
                    " inline ", Quoted(change.path), "\ndata ", content->size(), "\n", *content,
                    "\n");
  }
  return stream;
}

// Only what git needs, so that no configuration of the user changes the patch.
Environment GitEnvironment(const Environment& environment) {
  Environment result;
  const auto path = environment.find("PATH");
  if (path != environment.end()) result["PATH"] = path->second;
  result["HOME"] = "/nonexistent";
  result["LC_ALL"] = "C";
  result["GIT_CONFIG_NOSYSTEM"] = "1";
  return result;
}

}  // namespace

namespace {

// What a run changed is recorded when it ends; a killed one has to end first.
absl::Status NotRecorded(const RunPaths& run) {
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run.id,
                   " was stopped before it recorded what it changed; let it end first: stile "
                   "runs resume ",
                   run.id));
}

}  // namespace

absl::StatusOr<std::vector<RecordedChange>> ChangesOf(RunStore* store, const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunPaths> parts, PartsOf(store, run));
  std::map<std::string, RecordedChange> merged;
  for (const RunPaths& part : parts) {
    auto changes = ReadChanges(part);
    if (absl::IsNotFound(changes.status())) {
      if (parts.size() > 1) continue;
      return NotRecorded(part);
    }
    if (!changes.ok()) return changes.status();
    for (RecordedChange& change : *changes) {
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

absl::StatusOr<std::string> DiffRun(RunStore* store, const RunPaths& run,
                                    const Environment& environment) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ChangesOf(store, run));
  const auto git = FindExecutable("git", environment);
  if (!git.ok()) {
    return absl::FailedPreconditionError(
        "git is not installed, and diff needs it: apt-get install git");
  }
  // A repository made for this patch alone: two commits, and what lies between them.
  STILE_ASSIGN_OR_RETURN(const std::string before, ImportSide(store, changes, false));
  STILE_ASSIGN_OR_RETURN(const std::string after, ImportSide(store, changes, true));
  const ScratchFolder scratch(run);
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(scratch.path()));
  const auto call = [&](std::vector<std::string> arguments,
                        std::string input) -> absl::StatusOr<std::string> {
    ProcessRequest request;
    request.argv = {*git, "--git-dir", scratch.path()};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.cwd = scratch.path();
    request.env = GitEnvironment(environment);
    request.stdin_text = std::move(input);
    request.max_output_bytes = kMaxDiffBytes;
    STILE_ASSIGN_OR_RETURN(ProcessResult result, NewLocalProcessRunner()->Run(request));
    if (result.ok()) return std::move(result.out);
    return absl::InternalError(absl::StrCat("git ", arguments[0], ": ", result.Description(), ": ",
                                            TruncateMiddle(result.err, 500)));
  };
  STILE_RETURN_IF_ERROR(call({"init", "--quiet", "--bare"}, "").status());
  STILE_RETURN_IF_ERROR(call({"fast-import", "--quiet"}, before + after).status());
  return call({"diff-tree", "-p", "-r", "--binary", "--no-renames", "--no-ext-diff",
               "--no-textconv", "--no-color", "before", "after"},
              "");
}

std::string ColorDiff(absl::string_view diff, const Terminal& terminal) {
  std::string text;
  for (const absl::string_view line : SplitLines(diff)) {
    Style style = Style::kPlain;
    if (absl::StartsWith(line, "diff --git") || absl::StartsWith(line, "+++ ") ||
        absl::StartsWith(line, "--- ")) {
      style = Style::kBold;
    } else if (absl::StartsWith(line, "@@")) {
      style = Style::kCyan;
    } else if (absl::StartsWith(line, "+")) {
      style = Style::kGreen;
    } else if (absl::StartsWith(line, "-")) {
      style = Style::kRed;
    }
    absl::StrAppend(&text, Styled(terminal, style, Printable(line)), "\n");
  }
  return text;
}

absl::StatusOr<UndoReport> UndoWholeRun(RunStore* store, const RunPaths& run) {
  // Nobody goes on with it, or with a step of it, meanwhile.
  std::vector<RunLock> locks;
  STILE_ASSIGN_OR_RETURN(RunLock whole_lock, RunLock::Acquire(run));
  locks.push_back(std::move(whole_lock));
  STILE_ASSIGN_OR_RETURN(std::vector<RunPaths> parts, PartsOf(store, run));
  std::reverse(parts.begin(), parts.end());
  std::set<std::string> restored;
  std::set<std::string> kept;
  std::set<std::string> lost;
  for (const RunPaths& part : parts) {
    if (part.id == run.id) continue;
    STILE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Acquire(part));
    locks.push_back(std::move(lock));
  }
  for (const RunPaths& part : parts) {
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, store->Summarize(part));
    if (!FileExists(part.changes)) {
      if (parts.size() > 1) continue;
      return NotRecorded(part);
    }
    STILE_RETURN_IF_ERROR(MarkUndone(DiskFileSystem(), part));
    STILE_ASSIGN_OR_RETURN(const UndoReport report,
                           UndoRun(DiskFileSystem(), store, part, summary.workspace));
    restored.insert(report.restored.begin(), report.restored.end());
    kept.insert(report.kept.begin(), report.kept.end());
    lost.insert(report.lost.begin(), report.lost.end());
  }
  STILE_RETURN_IF_ERROR(MarkUndone(DiskFileSystem(), run));
  UndoReport whole;
  whole.kept.assign(kept.begin(), kept.end());
  whole.lost.assign(lost.begin(), lost.end());
  for (const std::string& path : restored) {
    if (kept.count(path) == 0 && lost.count(path) == 0) whole.restored.push_back(path);
  }
  return whole;
}

}  // namespace stile
