#ifndef STILE_RUNTIME_STORY_STORY_RUNNER_H_
#define STILE_RUNTIME_STORY_STORY_RUNNER_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/secret_masker.h"
#include "runtime/delivery/finished_work.h"
#include "runtime/delivery/work_place.h"
#include "runtime/delivery/work_trees.h"
#include "runtime/event/event.h"
#include "runtime/git/repository.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/story/story.h"
#include "runtime/validation/validation_service.h"
#include "runtime/workspace/edit_set.h"

namespace stile {

// One gated run as the story asks for it.
struct StepTask {
  // "<story run id>.<n>" of the step's first run, "<story run id>.<n>.<k>" of its k-th: another
  // attempt, or the merge
  std::string run_id;
  std::string name;       // the step's
  std::string workspace;  // absolute
  std::string task;       // the step's description, or the fix text on a retry
  std::string context;    // summaries of earlier steps
  std::string agent;
  std::vector<Allowance> allow;  // see StoryStep
  int max_turns = 0;
  bool retry = false;  // the task is a fix text: use the prompt for retries
  bool go_on = false;  // a run of this id that ended without success goes on
  const Cancellation* cancellation = nullptr;  // ends the run; not owned, may be null
  // Where cassettes go on: model turns of the story so far, and those of them that were the step's.
  int turns_before = 0;
  int own_turns_before = 0;
  // What earlier steps and attempts changed. The story's commit holds these paths too, and no other
  // uncommitted files.
  std::vector<std::string> delivered;
};

// Work to be taken over into a workspace.
struct MergeTask {
  std::string run_id;
  std::string workspace;         // absolute
  std::string task;              // for people
  std::vector<Allowance> allow;  // see StoryStep
  EditSet work;
  std::vector<std::string> delivered;  // see StepTask
};

// What the runner needs from the services around it. Implemented by agents/api. RunStep,
// ValidateAll, ChangesOf and WrapPrograms may be called by several threads at once, for different
// workspaces.
class StepRunner : public WorkTreeHost, public DeliveryHost {
 public:
  // A whole run with its own journal. Its events also go to `sink`. Ends soon after a cancellation.
  // A run of that id that was interrupted goes on; one that finished returns its stored result, or
  // goes on if the task says so and it did not succeed.
  virtual absl::StatusOr<RunResult> RunStep(const StepTask& task, const EventSink& sink) = 0;
  // A gated run of its own in which nobody is asked: the files are changed, all at once, and what
  // the workspace then holds has to pass. gave_up, with the obstacle or the diagnostics in its
  // message, where it cannot or does not; changes that were made stay.
  virtual absl::StatusOr<RunResult> RunMerge(const MergeTask& task, const EventSink& sink) = 0;
  // Validates all targets of the workspace, for `expect`.
  virtual absl::StatusOr<ValidationReport> ValidateAll(const std::string& workspace,
                                                       Level level) = 0;
};

struct StoryOptions : PlaceOptions {
  std::string branch;  // "" : BranchOf the story
  // Called once the branch and the working tree are there; may be empty.
  std::function<void()> on_place;
  bool commit = true;
  int max_parallelism = 3;  // steps of one wave that run at once
  bool clean_room = true;   // validate exactly what is about to be committed; needs worktrees_dir
  std::vector<std::string> paths;  // globs; a change outside them fails the delivery; empty: all

  // For resume and retry: steps before this one (one more than the last: all) are taken as done,
  // with their uncommitted work where they left it (give the workspace that the earlier StoryResult
  // names, and worktree = false).
  int first_step = 1;
  std::vector<std::string> done_summaries;  // their answers, in order
  std::vector<RunResult::CertificateRef> done_certificates;
  std::vector<RunResult> done_results;  // for resume: of the steps that this story did before
  int done_turns = 0;                   // model turns they took, see StepTask

  const SecretMasker* secrets = nullptr;  // for the commit message; not owned, may be null

  // Called after every step, when its events should go to disk. A failure ends the story.
  std::function<absl::Status()> on_step_end;

  // For retry: the runs that were tried before. What waves of theirs have left is cleared away when
  // this one succeeds.
  std::vector<std::string> earlier_run_ids;

  // For resume: this very story was stopped. What it may have begun and not noted is its own: a
  // branch without a commit, a second working tree of its run id, a commit that names it.
  bool resumed = false;
  // With it: the story had come to an end without success. The last attempt of a step goes on;
  // where it cannot, since its own run had succeeded, one more is made.
  bool after_end = false;
  // With it: the model is not the one that the story began with. A cassette begins at its start
  // then.
  bool other_model = false;
  // With it: it was stopped before its first step, so what it has made holds no work yet.
  bool before_work = false;
  // FingerprintHooks at the start of the story; "" : as they are now.
  std::string hooks;
  // What the steps that are done left, the latest for each path.
  std::vector<RecordedChange> accepted;
};

struct StepOutcome {
  size_t number = 0;  // from 1
  std::string name;
  std::string run_id;
  RunResult result;
  std::vector<std::string> unmet;  // expectations, one line each
  int attempts = 1;  // how often its agent was asked to do it; taking over its work is none
};

struct StoryResult {
  RunResult overall;  // outcome of the story; usage and turns added up, changed of all steps
  std::vector<StepOutcome> steps;
  std::string branch;
  std::string workspace;  // where the work is
  std::string commit;     // "" when nothing was committed
};

// The name of the branch on which a story works.
std::string BranchOf(const Story& story);

// Clean tree → branch → each step a gated run in the same workspace → the first failed step ends
// the story → on success one commit of exactly the changed paths, by the runtime, with "Stile-Run:"
// and "Stile-Certificate: sha256:…" trailers, and the certificates as its note (kCertificateNotes;
// a warning tells where git refuses that); on failure the branch stays with the uncommitted work
// and `overall.message` says where. No changes: no commit, outcome unchanged.
//
// Steps of one wave run beside each other (max_parallelism at once), each in a working tree of its
// own (below worktrees_dir) that begins with the files that earlier steps left. Then their work is
// merged by git, in order, and each merge is validated by a gated run of its own. If work does not
// merge, or does not pass once merged, its step does it again on top of the others' work. Work is
// merged up to the first step that fails; later steps' work stays in their working trees. With
// `on_failure: cancel` the first failure cancels all steps of the wave that still run: they end as
// `cancelled`, each with a step_finished of its own, and the story ends as the failed step did.
//
// FailedPrecondition before anything happens: no git repository, uncommitted or untracked files
// (also with `worktree`, which starts from HEAD and would not have them), or a branch of that name.
// A story with steps that run beside each other also needs a commit, and git 2.38.
// A branch that is the current one already is no obstacle: the story goes on there. InvalidArgument
// for a branch name that git refuses. From then on everything that goes wrong is a result, not a
// status.
//
// The commit is refused, with the work left in place, when what would be committed does not pass by
// itself (clean_room; without it, when a file does not hold what the last step to change it left),
// when a hook rejects it, when it holds anything else than was judged, or when hooks or git's
// configuration are not what they were before the first step.
//
// Events: story_started, per step one step_started, the events of all its attempts (each with
// "step"), and one step_finished (fields of run_finished, and step, name, step_run_id, attempts,
// unmet), then story_finished. The caller emits run_started before and run_finished
// (ToJson(overall)) after.
class StoryRunner {
 public:
  // Nothing is owned. The run id of the story is that of `events`.
  StoryRunner(ProcessRunner* runner, StepRunner* steps, EventStream* events);
  // `workspace`: an existing folder in a repository. `cancellation` may be null.
  absl::StatusOr<StoryResult> Run(const Story& story, const std::string& workspace,
                                  const StoryOptions& options, const Cancellation* cancellation);

 private:
  ProcessRunner* runner_;
  StepRunner* steps_;
  EventStream* events_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_RUNNER_H_
