#include "agents/api/story_ground.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/done_work.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

// nullopt: it did not begin, or worked elsewhere, as steps of a wave do first.
absl::StatusOr<std::optional<RunPaths>> RunHere(const RunStore& store, const std::string& workspace,
                                                const std::string& run_id) {
  STILE_ASSIGN_OR_RETURN(RunPaths run, store.Find(run_id));
  STILE_ASSIGN_OR_RETURN(const RunSummary summary, store.Summarize(run));
  if (summary.reason == kNotBegun || summary.workspace != workspace) return std::nullopt;
  return run;
}

}  // namespace

absl::StatusOr<std::vector<RecordedChange>> AcceptedBefore(const RunArchive& archive,
                                                           const StoryHistory& history, int next) {
  std::map<std::string, RecordedChange> latest;
  for (const auto& [number, step] : history.steps) {
    if (number >= next) break;
    for (const std::string& id : step.run_ids) {
      STILE_ASSIGN_OR_RETURN(const auto run, RunHere(*archive.store, history.workspace, id));
      if (!run.has_value()) continue;
      STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ReadChanges(*run));
      for (const RecordedChange& change : changes) latest[change.path] = change;
    }
  }
  std::vector<RecordedChange> accepted;
  for (auto& [path, change] : latest) accepted.push_back(std::move(change));
  return accepted;
}

absl::Status CheckStepsStand(const RunArchive& archive, const StoryHistory& history,
                             const std::string& run_id, int next) {
  std::vector<RunOfStep> work;
  for (const auto& [number, step] : history.steps) {
    for (const std::string& id : step.run_ids) {
      // Of a step that this story does again: attempts of the story before it were taken back.
      const bool is_own = absl::StartsWith(id, absl::StrCat(run_id, "."));
      if (number >= history.first_step && !is_own) continue;
      bool is_done = number < next;
      if (!is_done) {
        const absl::StatusOr<RunPaths> run = archive.store->Find(id);
        if (!run.ok() || run->id != id) continue;
        STILE_ASSIGN_OR_RETURN(const RunSummary summary, archive.store->Summarize(*run));
        is_done = summary.outcome != "failed" && summary.outcome != "interrupted";
      }
      work.push_back({id, absl::StrCat("step ", number), is_done});
    }
  }
  if (!work.empty() && !DirectoryExists(history.workspace)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the folder ", ShowPath(history.workspace), ", in which the steps of run ",
                     run_id, " worked, is gone, and their work with it; start the story again"));
  }
  STILE_ASSIGN_OR_RETURN(const std::optional<MissingWork> missing,
                         FindMissingWork(archive, history.workspace, work));
  if (!missing.has_value()) return absl::OkStatus();
  const std::string number = missing->run.step.substr(missing->run.step.find(' ') + 1);
  std::string hint = absl::StrCat("To do it and the steps after it again, `stile runs retry ",
                                  run_id, " --step ", number, "`");
  if (!missing->was_undone) {
    absl::StrAppend(&hint, "; to go on, put back what it left (`stile runs diff ",
                    missing->run.run_id, "` shows it)");
  }
  return absl::FailedPreconditionError(absl::StrCat(DescribeMissing(*missing), ". ", hint, "."));
}

absl::Status UndoSteps(const RunArchive& archive, const StoryHistory& history, int first_step) {
  for (auto step = history.steps.rbegin(); step != history.steps.rend(); ++step) {
    if (step->first < first_step) break;
    for (auto id = step->second.run_ids.rbegin(); id != step->second.run_ids.rend(); ++id) {
      STILE_ASSIGN_OR_RETURN(const auto run, RunHere(*archive.store, history.workspace, *id));
      if (!run.has_value()) continue;
      STILE_ASSIGN_OR_RETURN(const UndoReport report, UndoStepToRetry(archive, *run));
      std::vector<std::string> kept = report.kept;
      kept.insert(kept.end(), report.lost.begin(), report.lost.end());
      if (!kept.empty()) {
        return absl::FailedPreconditionError(absl::StrCat(
            "step ", step->first, " cannot be reset: changed since by somebody else: ",
            absl::StrJoin(kept, ", "), "; commit, stash or put back these files first"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace stile
