#include "runtime/journal/run_prune.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kHashDigits = 64;
constexpr size_t kMaxStateFile = size_t{1} << 30;
constexpr absl::Duration kBeginning =
    absl::Hours(1);  // in which a run surely writes its first line

bool IsHexDigit(char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); }

// Every word of 64 hexadecimal digits: hashes, in whatever form the file has.
void AddHashes(absl::string_view text, std::set<std::string>* hashes) {
  size_t begin = 0;
  while (begin < text.size()) {
    if (!IsHexDigit(text[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < text.size() && IsHexDigit(text[end])) ++end;
    if (end - begin == kHashDigits) hashes->emplace(text.substr(begin, kHashDigits));
    begin = end;
  }
}

absl::Status AddHashesOf(const std::string& file, std::set<std::string>* hashes) {
  const auto text = DiskFileSystem()->ReadFile(file, kMaxStateFile);
  if (absl::IsNotFound(text.status())) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(text.status());
  AddHashes(*text, hashes);
  return absl::OkStatus();
}

// Names in a folder that may not exist.
absl::StatusOr<std::vector<std::string>> Names(const std::string& folder) {
  if (!DirectoryExists(folder)) return std::vector<std::string>();
  return ListDirectory(folder);
}

uint64_t SizeOf(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

uint64_t TreeSize(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(
           folder, std::filesystem::directory_options::skip_permission_denied, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (!it->is_directory(error)) bytes += SizeOf(it->path());
  }
  return bytes;
}

class Pruner {
 public:
  Pruner(RunStore* store, const PruneOptions& options) : store_(*store), options_(options) {}

  absl::StatusOr<PruneReport> Prune() {
    if (!FileExists(store_.state_dir())) return PruneReport();
    const std::optional<StoreLock> alone = StoreLock::TryAcquire(store_.state_dir());
    report_.is_partial = !alone.has_value();
    STILE_RETURN_IF_ERROR(Choose());
    for (const RunSummary& run : report_.removed) {
      // The steps first: a story without some of them is removed by the next call.
      for (const std::string& id : parts_[run.id]) STILE_RETURN_IF_ERROR(RemoveRun(id));
      STILE_RETURN_IF_ERROR(RemoveRun(run.id));
      ids_.erase(run.id);
    }
    if (report_.is_partial) return std::move(report_);
    STILE_RETURN_IF_ERROR(RemoveLeftovers());
    STILE_RETURN_IF_ERROR(RemoveContents());
    STILE_RETURN_IF_ERROR(RemoveWorkspaces());
    return std::move(report_);
  }

 private:
  // Which runs go.
  absl::Status Choose() {
    STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all, store_.List(/*with_steps=*/true));
    STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> listed, store_.List(/*with_steps=*/false));
    for (const RunSummary& run : listed) ids_.insert(run.id);
    for (const RunSummary& run : all) {
      if (ids_.count(run.id) == 0) parts_[ParentOf(run.id)].push_back(run.id);
      workspaces_[run.id] = run.workspace;
    }
    std::vector<const RunSummary*> candidates;
    for (const RunSummary& run : listed) {
      const bool is_candidate = MayGo(run);
      if (is_candidate) candidates.push_back(&run);
    }
    const std::set<std::string> needed = RetriedBy(listed, candidates);
    for (size_t i = options_.keep; i < candidates.size(); ++i) {
      const RunSummary& run = *candidates[i];
      const std::string reason =
          needed.count(run.id) > 0 ? "a newer run that stays is its retry" : WhyKept(run);
      if (reason.empty()) {
        report_.removed.push_back(run);
      } else {
        report_.kept.push_back({run.id, reason});
      }
    }
    return absl::OkStatus();
  }

  std::string ParentOf(const std::string& id) const {
    for (size_t dot = id.find('.'); dot != std::string::npos; dot = id.find('.', dot + 1)) {
      if (ids_.count(id.substr(0, dot)) > 0) return id.substr(0, dot);
    }
    return id;
  }

  bool MayGo(const RunSummary& run) const {
    if (run.outcome == "running" || run.started >= options_.before) return false;
    if (run.reason == kNotBegun) return run.started < absl::Now() - kBeginning;
    return options_.interrupted || (run.outcome != "interrupted" && run.outcome != "open");
  }

  // Ids of the runs that runs which stay have retried.
  std::set<std::string> RetriedBy(const std::vector<RunSummary>& listed,
                                  const std::vector<const RunSummary*>& candidates) const {
    std::set<std::string> going;
    for (size_t i = options_.keep; i < candidates.size(); ++i) going.insert(candidates[i]->id);
    std::set<std::string> needed;
    // Newest first, so that a retry of a retry is seen before what it retried.
    for (const RunSummary& run : listed) {
      if (going.count(run.id) > 0 && needed.count(run.id) == 0) continue;
      const auto paths = store_.Find(run.id);
      if (!paths.ok()) continue;
      const auto ends = ReadJournalEnds(paths->journal);
      if (!ends.ok()) continue;
      const std::string earlier = JsonString(ends->first.data, "retry_of").value_or("");
      if (!earlier.empty()) needed.insert(earlier);
    }
    return needed;
  }

  std::string WhyKept(const RunSummary& run) {
    std::vector<std::string> ids = parts_[run.id];
    ids.push_back(run.id);
    for (const std::string& id : ids) {
      const auto paths = store_.Find(id);
      if (!paths.ok() || paths->id != id) return "it is gone by now";
      if (RunLock::IsHeld(*paths)) return "a process works on it";
      if (report_.is_partial && !options_.dry_run) {
        // Others may begin to work on it at any time.
        auto lock = RunLock::Acquire(*paths);
        if (!lock.ok()) return "a process works on it";
        locks_.push_back(*std::move(lock));
      }
      const std::string tree = JoinPath(store_.worktrees_dir(), id);
      if (FileExists(tree)) return absl::StrCat("its working tree is still there: ", tree);
    }
    return "";
  }

  absl::Status RemoveRun(const std::string& id) {
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(id));
    if (run.id != id) return absl::OkStatus();
    report_.bytes += TreeSize(run.folder);
    if (options_.dry_run) return absl::OkStatus();
    // Out of the list at once: half a run is none.
    const std::string away = absl::StrCat(DirName(run.folder), "/.", id);
    STILE_RETURN_IF_ERROR(RemoveTree(away));
    STILE_RETURN_IF_ERROR(DiskFileSystem()->Rename(run.folder, away));
    return RemoveTree(away);
  }

  // Of a call that was killed.
  absl::Status RemoveLeftovers() {
    const std::string folder = store_.state_dir() + "/runs";
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(folder));
    for (const std::string& name : names) {
      if (!absl::StartsWith(name, ".")) continue;
      report_.bytes += TreeSize(JoinPath(folder, name));
      if (!options_.dry_run) STILE_RETURN_IF_ERROR(RemoveTree(JoinPath(folder, name)));
    }
    return absl::OkStatus();
  }

  // Every hash that a kept run, or the memory of a workspace, names.
  absl::StatusOr<std::set<std::string>> NeededContents() {
    std::set<std::string> hashes;
    for (const std::string& id : ids_) {
      std::vector<std::string> ids = parts_[id];
      ids.push_back(id);
      for (const std::string& part : ids) {
        STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(part));
        STILE_RETURN_IF_ERROR(AddHashesOf(run.changes, &hashes));
        STILE_RETURN_IF_ERROR(AddHashesOf(run.baseline, &hashes));
      }
    }
    const std::string workspaces = store_.state_dir() + "/workspaces";
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(workspaces));
    for (const std::string& name : names) {
      STILE_RETURN_IF_ERROR(
          AddHashesOf(absl::StrCat(workspaces, "/", name, "/memory.json"), &hashes));
    }
    return hashes;
  }

  absl::Status RemoveContents() {
    STILE_ASSIGN_OR_RETURN(const std::set<std::string> needed, NeededContents());
    const std::string blobs = store_.state_dir() + "/blobs";
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> shards, Names(blobs));
    for (const std::string& shard : shards) {
      const std::string folder = JoinPath(blobs, shard);
      STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(folder));
      size_t left = names.size();
      for (const std::string& name : names) {
        if (needed.count(shard + name) > 0) continue;
        --left;
        ++report_.contents;
        report_.bytes += SizeOf(JoinPath(folder, name));
        if (options_.dry_run) continue;
        STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(JoinPath(folder, name)));
      }
      if (left == 0 && !options_.dry_run) DiskFileSystem()->RemoveDir(folder).IgnoreError();
    }
    return absl::OkStatus();
  }

  // What is known of a folder that is gone, unless a kept run worked there: it can come back.
  absl::Status RemoveWorkspaces() {
    std::set<std::string> wanted;
    for (const std::string& id : ids_) {
      wanted.insert(workspaces_[id]);
      for (const std::string& part : parts_[id]) wanted.insert(workspaces_[part]);
    }
    const std::string folder = store_.state_dir() + "/workspaces";
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(folder));
    for (const std::string& name : names) {
      const std::string state = JoinPath(folder, name);
      const auto path = DiskFileSystem()->ReadFile(state + "/path", size_t{64} << 10);
      if (!path.ok()) continue;
      const std::string workspace(absl::StripSuffix(*path, "\n"));
      struct stat info {};
      const bool is_old =
          stat(state.c_str(), &info) == 0 && absl::FromTimeT(info.st_mtime) < options_.before;
      if (!is_old || FileExists(workspace) || wanted.count(ToUtf8(workspace)) > 0) continue;
      ++report_.workspaces;
      report_.bytes += TreeSize(state);
      if (options_.dry_run) continue;
      STILE_RETURN_IF_ERROR(RemoveTree(state));
      // Of its transactions; one that was interrupted stays.
      DiskFileSystem()->RemoveDir(JoinPath(store_.edits_dir(), name)).IgnoreError();
    }
    return absl::OkStatus();
  }

  RunStore& store_;
  const PruneOptions options_;
  PruneReport report_;
  std::vector<RunLock> locks_;  // of what goes, while others have the store, too
  std::set<std::string> ids_;   // of all but steps; in the end, that stay
  std::map<std::string, std::vector<std::string>> parts_;  // ids of steps by that of their story
  std::map<std::string, std::string> workspaces_;          // by id
};

}  // namespace

absl::StatusOr<PruneReport> PruneRuns(RunStore* store, const PruneOptions& options) {
  return Pruner(store, options).Prune();
}

}  // namespace stile
