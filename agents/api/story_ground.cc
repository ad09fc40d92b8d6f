#include "agents/api/story_ground.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/done_work.h"
#include "runtime/base/status.h"
#include "runtime/delivery/work_place.h"
#include "runtime/story/expectations.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

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

std::string HowToDoAgain(const std::string& run_id, absl::string_view step) {
  return absl::StrCat("To do it and the steps after it again, `stile runs retry ", run_id,
                      " --step ", step, "`");
}

// Adds the paths that a run changed, unless it was undone.
absl::Status AddChanged(const RunArchive& archive, const StoryHistory& history,
                        const std::string& id, std::set<std::string>* paths) {
  const absl::StatusOr<RunPaths> run = archive.store->Find(id);
  if (!run.ok() || run->id != id || WasUndone(*run)) return absl::OkStatus();
  auto changes = ReadChanges(*run);
  if (absl::IsNotFound(changes.status())) {
    STILE_ASSIGN_OR_RETURN(const auto here, RunHere(*archive.store, history.workspace, id));
    if (!here.has_value()) return absl::OkStatus();
    changes = ChangesOfRun(archive, *here);
  }
  STILE_RETURN_IF_ERROR(changes.status());
  for (const RecordedChange& change : *changes) paths->insert(change.path);
  return absl::OkStatus();
}

// What of `expect` can be looked at in files that none of the runs changed.
Expectations OfFilesNotIn(const std::set<std::string>& changed, const std::string& workspace,
                          const Expectations& expect) {
  const auto is_changed = [&](const std::string& path) {
    const auto resolved = ResolveInWorkspace(workspace, path);
    if (!resolved.ok()) return false;
    const auto below = changed.lower_bound(resolved->relative + "/");
    return changed.count(resolved->relative) > 0 ||
           (below != changed.end() && absl::StartsWith(*below, resolved->relative + "/"));
  };
  Expectations rest;
  for (const std::string& path : expect.files_exist) {
    if (!is_changed(path)) rest.files_exist.push_back(path);
  }
  for (const Expectations::Match& match : expect.file_contains) {
    if (!is_changed(match.path)) rest.file_contains.push_back(match);
  }
  for (const Expectations::Match& match : expect.file_not_contains) {
    if (!is_changed(match.path)) rest.file_not_contains.push_back(match);
  }
  return rest;
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
      absl::StatusOr<std::vector<RecordedChange>> changes = ReadChanges(*run);
      // The disk had refused to record them.
      if (absl::IsNotFound(changes.status())) changes = ChangesOfRun(archive, *run);
      STILE_RETURN_IF_ERROR(changes.status());
      for (const RecordedChange& change : *changes) latest[change.path] = change;
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
        absl::StrCat("the folder ", DisplayPath(history.workspace), ", in which the steps of run ",
                     run_id, " worked, is gone, and their work with it; start the story again"));
  }
  STILE_ASSIGN_OR_RETURN(const std::optional<MissingWork> missing,
                         FindMissingWork(archive, history.workspace, work));
  if (!missing.has_value()) return absl::OkStatus();
  const std::string number = missing->run.step.substr(missing->run.step.find(' ') + 1);
  std::string hint = HowToDoAgain(run_id, number);
  if (!missing->was_undone) {
    absl::StrAppend(&hint, "; to go on, put back what it left (`stile runs diff ",
                    missing->run.run_id, "` shows it)");
  }
  return absl::FailedPreconditionError(absl::StrCat(DescribeMissing(*missing), ". ", hint, "."));
}

absl::Status CheckExpectationsStand(const RunArchive& archive, const StoryHistory& history,
                                    const Story& story, const std::string& run_id, int next) {
  if (!history.commit.empty() || !DirectoryExists(history.workspace)) return absl::OkStatus();
  std::set<std::string> changed;  // by a step or one after it
  absl::Status unmet_first;
  for (auto step = history.steps.rbegin(); step != history.steps.rend(); ++step) {
    for (const std::string& id : step->second.run_ids) {
      STILE_RETURN_IF_ERROR(AddChanged(archive, history, id, &changed));
    }
    const int number = step->first;
    if (number >= next || number > static_cast<int>(story.steps.size())) continue;
    const auto index = static_cast<size_t>(number - 1);
    if (RunsBesideOthers(story.steps, index)) continue;
    const ValidateAll no_validation = [](Level) {
      return absl::InternalError("expectations of files need no validation");
    };
    STILE_ASSIGN_OR_RETURN(
        const std::vector<UnmetExpectation> unmet,
        CheckExpectations(OfFilesNotIn(changed, history.workspace, story.steps[index].expect),
                          history.workspace, {}, no_validation));
    if (unmet.empty()) continue;
    unmet_first = absl::FailedPreconditionError(absl::StrCat(
        "step ", number, " is done, but what it was expected to leave is not there any more: ",
        absl::StrJoin(unmet, "; ",
                      [](std::string* out, const UnmetExpectation& item) { *out += item.line; }),
        ". ", HowToDoAgain(run_id, absl::StrCat(number)), "; to go on, put the file back."));
  }
  return unmet_first;
}

namespace {

// The runs of the steps from `first_step` on that worked in the story's folder, newest first.
absl::StatusOr<std::vector<RunPaths>> RunsFrom(const RunArchive& archive,
                                               const StoryHistory& history, int first_step) {
  std::vector<RunPaths> runs;
  for (auto step = history.steps.rbegin(); step != history.steps.rend(); ++step) {
    if (step->first < first_step) break;
    for (auto id = step->second.run_ids.rbegin(); id != step->second.run_ids.rend(); ++id) {
      STILE_ASSIGN_OR_RETURN(auto run, RunHere(*archive.store, history.workspace, *id));
      if (run.has_value()) runs.push_back(*std::move(run));
    }
  }
  return runs;
}

absl::Status CannotReset(int first_step, absl::string_view why,
                         const std::vector<std::string>& paths, absl::string_view remedy) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) shown.push_back(DisplayPath(path));
  return absl::FailedPreconditionError(absl::StrCat("step ", first_step, " cannot be reset: ", why,
                                                    ": ", absl::StrJoin(shown, ", "), "; ",
                                                    remedy));
}

absl::Status CannotResetChanged(int first_step, const std::vector<std::string>& paths) {
  return CannotReset(first_step, "files were changed since by somebody else", paths,
                     "commit, stash or put back these files first");
}

// Before anything is changed. `runs`: newest first.
absl::Status CheckCanUndo(const RunArchive& archive, const std::string& workspace,
                          const std::vector<RunPaths>& runs, int first_step) {
  std::map<std::string, RecordedChange> merged;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (WasUndone(*run)) continue;
    STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ChangesOfRun(archive, *run));
    for (const RecordedChange& change : changes) {
      const auto [known, is_new] = merged.try_emplace(change.path, change);
      if (is_new) continue;
      known->second.after = change.after;
      known->second.after_mode = change.after_mode;
    }
  }
  std::vector<std::string> kept;
  for (const auto& [path, change] : merged) {
    RecordedChange as_before = change;
    as_before.after = change.before;
    as_before.after_mode = change.before_mode;
    if (!NoLongerHeld(workspace, {change}).empty() &&
        !NoLongerHeld(workspace, {as_before}).empty()) {
      kept.push_back(path);
    }
  }
  return kept.empty() ? absl::OkStatus() : CannotResetChanged(first_step, kept);
}

absl::Status CheckStands(const RunArchive& archive, const StoryHistory& history, const Story& story,
                         const std::string& run_id, int next) {
  STILE_RETURN_IF_ERROR(CheckStepsStand(archive, history, run_id, next));
  return CheckExpectationsStand(archive, history, story, run_id, next);
}

}  // namespace

absl::Status ResetSteps(const RunArchive& archive, const StoryHistory& history, const Story& story,
                        const std::string& run_id, int first_step) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunPaths> runs, RunsFrom(archive, history, first_step));
  const auto repository = Repository::Open(archive.runner, history.workspace);
  if (repository.ok() && !history.branch.empty()) {
    STILE_RETURN_IF_ERROR(CheckOnBranch(*repository, history.branch));
  }
  STILE_RETURN_IF_ERROR(CheckCanUndo(archive, history.workspace, runs, first_step));
  // An earlier call, which could not finish, has taken some of them back.
  if (std::none_of(runs.begin(), runs.end(), WasUndone)) {
    STILE_RETURN_IF_ERROR(CheckStands(archive, history, story, run_id, first_step));
  }
  for (const RunPaths& run : runs) {
    STILE_ASSIGN_OR_RETURN(const UndoReport report, UndoStepToRetry(archive, run));
    if (!report.kept.empty()) return CannotResetChanged(first_step, report.kept);
    if (!report.lost.empty()) {
      return CannotReset(first_step, "what they held before it was not stored", report.lost,
                         "put these files back first");
    }
  }
  StoryHistory stays = history;
  stays.steps.erase(stays.steps.lower_bound(first_step), stays.steps.end());
  return CheckStands(archive, stays, story, run_id, first_step);
}

}  // namespace stile
