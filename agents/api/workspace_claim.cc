#include "agents/api/workspace_claim.h"

#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxClaimBytes = 64;

// "run 20261121T101500-3f9a1c2b (process 4711: Fix the test)", as far as it is known.
std::string DescribeHolder(const RunStore& store, const std::string& workspace,
                           const std::string& file) {
  const auto text = DiskFileSystem()->ReadFile(file, kMaxClaimBytes);
  const std::string pid(absl::StripAsciiWhitespace(text.value_or("")));
  std::string id = "another run";
  std::string task;
  const auto runs = store.List(/*with_steps=*/false);
  if (runs.ok()) {
    for (const RunSummary& run : *runs) {
      if (run.outcome != "running" || run.workspace != ToUtf8(workspace)) continue;
      id = absl::StrCat("run ", run.id);
      task = run.task.substr(0, run.task.find('\n'));
      break;
    }
  }
  if (pid.empty()) return id;
  return absl::StrCat(id, " (process ", pid, task.empty() ? "" : ": ", task, ")");
}

}  // namespace

absl::StatusOr<FileLock> ClaimWorkspace(const RunStore& store, const std::string& workspace,
                                        bool alone) {
  STILE_ASSIGN_OR_RETURN(const std::string folder, store.WorkspaceDir(workspace));
  const std::string file = JoinPath(folder, "in-use");
  FileLock lock(file, FileLock::Wait::kNo);
  if (lock.held()) {
    DiskFileSystem()->WriteFile(file, absl::StrCat(getpid(), "\n"), 0600, false).IgnoreError();
    return lock;
  }
  if (!alone || !FileExists(file)) return lock;
  return absl::FailedPreconditionError(absl::StrCat(
      DescribeHolder(store, workspace, file), " works in ", ToUtf8(workspace),
      ". Two runs in one workspace take each other's changes for their own. Wait until it has "
      "ended, or stop it; to work beside it, give each a working tree of its own (a story: "
      "--worktree; else `git worktree add DIR`, and --workspace DIR), or pass --alongside if they "
      "must share this one"));
}

std::string StoryIn(const RunStore& store, const std::string& folder) {
  const auto trees = RealPath(store.worktrees_dir());
  if (trees.ok() && DirName(folder) == *trees) {
    const std::string id = BaseName(folder);
    const auto run = store.Find(id);
    return run.ok() && run->id == id && RunLock::IsHeld(*run) ? id : "";
  }
  const auto runs = store.List(/*with_steps=*/false);
  if (!runs.ok()) return "";
  for (const RunSummary& run : *runs) {
    const bool is_here = run.outcome == "running" && run.kind == "story" &&
                         (run.workspace == folder || IsWithin(run.workspace, folder));
    const auto paths = is_here ? store.Find(run.id) : absl::NotFoundError("");
    if (!paths.ok()) continue;
    const auto ends = ReadJournalEnds(paths->journal);
    if (ends.ok() && !JsonBool(ends->first.data, "worktree").value_or(false)) return run.id;
  }
  return "";
}

}  // namespace stile
