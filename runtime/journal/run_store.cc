#include "runtime/journal/run_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxIdBytes = 128;
constexpr size_t kIdsInMessage = 5;

bool IsRunId(absl::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && id[0] != '.' && id[0] != '-' &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '-';
         });
}

absl::Status CheckRunId(absl::string_view id) {
  if (IsRunId(id)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", ToUtf8(id.substr(0, kMaxIdBytes)),
                   "' is no run id: letters, digits, '.' and '-', at most ", kMaxIdBytes));
}

// A story's step is named after the story: "<story id>.<n>". `ids` sorted.
bool IsStep(const std::string& id, const std::vector<std::string>& ids) {
  for (size_t dot = id.find('.'); dot != std::string::npos; dot = id.find('.', dot + 1)) {
    if (std::binary_search(ids.begin(), ids.end(), id.substr(0, dot))) return true;
  }
  return false;
}

std::string NearestIds(const std::string& wanted, std::vector<std::string> ids) {
  if (ids.empty()) return "there are no runs yet";
  const size_t shown = std::min<size_t>(ids.size(), 3);
  std::vector<std::pair<int, std::string>> ranked;
  for (std::string& id : ids) ranked.emplace_back(EditDistance(wanted, id), std::move(id));
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown),
                    ranked.end());
  ranked.resize(shown);
  return absl::StrCat("nearest: ", absl::StrJoin(ranked, ", ", [](std::string* out, const auto& r) {
                        absl::StrAppend(out, r.second);
                      }));
}

int64_t NonNegative(std::optional<int64_t> value) {
  return std::max<int64_t>(value.value_or(0), 0);
}

// What run_finished says, as far as it says it.
void AddEnd(const Json& end, RunSummary* summary) {
  summary->outcome = JsonString(end, "outcome").value_or("damaged");
  summary->reason = JsonString(end, "reason").value_or("");
  if (const Json* changed = JsonMember(end, "changed"); changed != nullptr && changed->is_array()) {
    for (const Json& path : *changed) {
      if (path.is_string()) summary->changed.push_back(path.get<std::string>());
    }
  }
  summary->duration = absl::Milliseconds(NonNegative(JsonInt(end, "duration_ms")));
  if (const Json* usage = JsonMember(end, "usage"); usage != nullptr) {
    summary->tokens = NonNegative(JsonInt(*usage, "input_tokens")) +
                      NonNegative(JsonInt(*usage, "output_tokens"));
    summary->cost_usd = JsonNumber(*usage, "cost_usd").value_or(0);
  }
}

// A run that was just created, or was killed before it got further.
RunSummary NotBegun(const RunPaths& run) {
  RunSummary summary;
  summary.id = run.id;
  summary.kind = "run";
  summary.outcome = RunLock::IsHeld(run) ? "running" : "interrupted";
  summary.pid = RunLock::HolderOf(run);
  if (summary.outcome == "interrupted") summary.reason = std::string(kNotBegun);
  struct stat info {};
  if (stat(run.folder.c_str(), &info) == 0) summary.started = absl::FromTimeT(info.st_mtime);
  return summary;
}

}  // namespace

bool WasUndone(const RunPaths& run) { return FileExists(run.undone); }

RunStore::RunStore(FileSystem* fs, std::string state_dir)
    : fs_(fs), state_dir_(std::move(state_dir)), blobs_(fs, JoinPath(state_dir_, "blobs")) {}

RunPaths RunStore::PathsOf(const std::string& id) const {
  RunPaths run;
  run.id = id;
  run.folder = absl::StrCat(state_dir_, "/runs/", id);
  run.journal = run.folder + "/journal.jsonl";
  run.baseline = run.folder + "/baseline.snapshot";
  run.ignore_rules = run.folder + "/ignore_rules.json";
  run.outputs = run.folder + "/outputs";
  run.changes = run.folder + "/changes.json";
  run.certificate = run.folder + "/certificate.json";
  run.report = run.folder + "/report.json";
  run.artifacts = run.folder + "/artifacts";
  run.logs = run.folder + "/logs";
  run.alive = run.folder + "/alive";
  run.lock = run.folder + "/lock";
  run.undone = run.folder + "/undone";
  return run;
}

absl::StatusOr<std::vector<std::string>> RunStore::Ids() const {
  const std::string folder = state_dir_ + "/runs";
  absl::StatusOr<std::vector<std::string>> listed = ListDirectory(folder);
  if (absl::IsNotFound(listed.status())) return std::vector<std::string>();
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> names, std::move(listed));
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) { return !IsRunId(name); }),
              names.end());
  return names;
}

absl::StatusOr<RunPaths> RunStore::Create(const std::string& id) {
  STILE_RETURN_IF_ERROR(CheckRunId(id));
  const RunPaths run = PathsOf(id);
  STILE_RETURN_IF_ERROR(fs_->MakeDirs(state_dir_ + "/runs"));
  // Not MakeDirs: of two processes that ask for one id, one must lose.
  if (mkdir(run.folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) {
      return absl::AlreadyExistsError(absl::StrCat("run ", id, " exists already"));
    }
    return ErrnoStatus(errno, "make run folder", run.folder);
  }
  STILE_RETURN_IF_ERROR(fs_->MakeDirs(run.outputs));
  return run;
}

absl::StatusOr<RunPaths> RunStore::FindWhole(const std::string& id) const {
  STILE_RETURN_IF_ERROR(CheckRunId(id));
  RunPaths run = PathsOf(id);
  if (DirectoryExists(run.folder)) return run;
  return absl::NotFoundError(absl::StrCat("no run ", id));
}

absl::StatusOr<RunPaths> RunStore::Find(const std::string& id_or_prefix) const {
  absl::StatusOr<RunPaths> whole = FindWhole(id_or_prefix);
  if (!absl::IsNotFound(whole.status())) return whole;
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> ids, Ids());
  std::vector<std::string> matches;  // sorted, so a story comes before its steps
  for (const std::string& id : ids) {
    if (absl::StartsWith(id, id_or_prefix)) matches.push_back(id);
  }
  if (matches.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no run ", id_or_prefix, "; ", NearestIds(id_or_prefix, std::move(ids))));
  }
  const std::string steps_prefix = matches[0] + ".";
  if (std::all_of(matches.begin() + 1, matches.end(),
                  [&](const std::string& id) { return absl::StartsWith(id, steps_prefix); })) {
    return PathsOf(matches[0]);
  }
  const size_t count = matches.size();
  if (count > kIdsInMessage) matches.resize(kIdsInMessage);
  return absl::InvalidArgumentError(absl::StrCat(id_or_prefix, " could be any of ", count,
                                                 " runs: ", absl::StrJoin(matches, ", "),
                                                 count > kIdsInMessage ? ", …" : ""));
}

absl::StatusOr<std::vector<RunPaths>> RunStore::RunsWithReport() const {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> ids, Ids());
  std::vector<RunPaths> runs;
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    RunPaths run = PathsOf(*id);
    if (FileExists(run.report)) runs.push_back(std::move(run));
  }
  return runs;
}

absl::StatusOr<RunSummary> RunStore::Summarize(const RunPaths& run) const {
  const absl::StatusOr<JournalEnds> read = ReadJournalEnds(run.journal);
  if (absl::IsNotFound(read.status())) return NotBegun(run);
  STILE_RETURN_IF_ERROR(read.status());
  const JournalEnds& ends = *read;
  if (ends.first.type != EventType::kRunStarted) {
    return absl::DataLossError(absl::StrCat(run.journal, " does not begin with run_started"));
  }
  RunSummary summary;
  summary.id = run.id;
  summary.kind = JsonString(ends.first.data, "kind")
                     .value_or(ends.second.type == EventType::kStoryStarted ? "story" : "run");
  summary.task = JsonString(ends.first.data, "task").value_or("");
  summary.workspace = JsonString(ends.first.data, "workspace").value_or("");
  for (const char* key : {"story_file", "workflow_file"}) {
    if (const auto file = JsonString(ends.first.data, key)) summary.file = *file;
  }
  summary.started = ends.first.time;
  summary.undone = WasUndone(run);
  summary.turns = static_cast<int>(std::clamp<int64_t>(
      JsonInt(ends.last.data, "turns").value_or(JsonInt(ends.last.data, "turn").value_or(0)), 0,
      1'000'000'000));
  if (ends.last.type == EventType::kRunFinished) {
    AddEnd(ends.last.data, &summary);
  } else {
    summary.outcome = RunLock::IsHeld(run)                  ? "running"
                      : ends.first.data.contains(kExternal) ? "open"
                                                            : "interrupted";
    summary.pid = RunLock::HolderOf(run);
    summary.duration = std::max(ends.last.time - ends.first.time, absl::ZeroDuration());
  }
  return summary;
}

RunSummary RunStore::SummarizeOrDamaged(const RunPaths& run) const {
  absl::StatusOr<RunSummary> summary = Summarize(run);
  if (summary.ok()) return *std::move(summary);
  RunSummary damaged = NotBegun(run);
  if (damaged.outcome != "running") {
    damaged.outcome = "damaged";
    damaged.reason = std::string(summary.status().message());
  }
  return damaged;
}

absl::StatusOr<std::vector<RunSummary>> RunStore::StepsOf(const std::string& id) const {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> ids, Ids());
  std::vector<RunSummary> summaries;
  for (const std::string& other : ids) {
    if (absl::StartsWith(other, absl::StrCat(id, "."))) {
      summaries.push_back(SummarizeOrDamaged(PathsOf(other)));
    }
  }
  std::sort(summaries.begin(), summaries.end(), [](const RunSummary& a, const RunSummary& b) {
    return a.started != b.started ? a.started < b.started : a.id < b.id;
  });
  return summaries;
}

absl::StatusOr<std::vector<RunSummary>> RunStore::List(bool with_steps) const {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> ids, Ids());
  std::vector<RunSummary> summaries;
  for (const std::string& id : ids) {
    if (!with_steps && IsStep(id, ids)) continue;
    summaries.push_back(SummarizeOrDamaged(PathsOf(id)));
  }
  std::sort(summaries.begin(), summaries.end(), [](const RunSummary& a, const RunSummary& b) {
    return a.started != b.started ? a.started > b.started : a.id > b.id;
  });
  return summaries;
}

absl::StatusOr<std::string> RunStore::WorkspaceDir(const std::string& workspace) const {
  STILE_ASSIGN_OR_RETURN(const std::string real, RealPath(workspace));
  const std::string folder =
      absl::StrCat(state_dir_, "/workspaces/", Sha256Hex(real).substr(0, 32));
  STILE_RETURN_IF_ERROR(fs_->MakeDirs(folder));
  // For people who look into the state folder.
  if (const std::string name = folder + "/path"; !FileExists(name)) {
    STILE_RETURN_IF_ERROR(WriteFileAtomically(fs_, name, real + "\n", 0600));
  }
  return folder;
}

}  // namespace stile
