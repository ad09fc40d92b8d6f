#include "agents/api/story_host.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/agent_body.h"
#include "agents/api/model_checks.h"
#include "agents/api/run_plan.h"
#include "agents/api/story_ground.h"
#include "agents/api/story_start.h"
#include "agents/api/untrusted.h"
#include "agents/api/workspace_claim.h"
#include "agents/api/workspace_validation.h"
#include "runtime/base/ids.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/event/loop_events.h"
#include "runtime/journal/run_changes.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/session/workspace_state.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::string_view kReplay = "replay:";

}  // namespace

StoryHost::StoryHost(const SessionContext* context, std::string workspace)
    : context_(*context), options_(*context->options), workspace_(std::move(workspace)) {}

StoryHost::~StoryHost() = default;

absl::StatusOr<StoryResult> StoryHost::Perform(const RunPaths& run, const RunLock& /*held*/,
                                               const Story& story, const std::string& workspace,
                                               const StoryOptions& options, const Event& opening) {
  STILE_RETURN_IF_ERROR(Recover(workspace));
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> journal, JournalWriter::Open(run.journal));
  EventStream events(run.id, context_.clock, opening.seq, context_.secrets);
  events.AddSink([&](const Event& event) { journal->Append(event); });
  if (options_.on_event) events.AddSink(options_.on_event);
  events.Emit(opening.type, opening.data);
  SayUntrusted(options_.config, &events);
  if (const std::string text = RestoredText(std::exchange(restored_, {})); !text.empty()) {
    events.Emit(Warning(text));
  }
  STILE_RETURN_IF_ERROR(journal->Sync());
  StoryRunner runner(context_.runner, this, &events);
  StoryOptions chosen = options;
  chosen.clean_room = options_.config.deliver.clean_room;
  chosen.secrets = context_.secrets;
  // One conversation after the other, where they are played from one file, or written into one.
  const std::string& model = Model();
  const bool is_shared_cassette =
      absl::StartsWith(model, kReplay) && !DirectoryExists(model.substr(kReplay.size()));
  if (is_shared_cassette || !options_.record_file.empty()) {
    chosen.max_parallelism = 1;
  }
  if (chosen.worktrees_dir.empty()) chosen.worktrees_dir = context_.store->worktrees_dir();
  chosen.run_in = [this](const std::string& folder) { return StoryIn(*context_.store, folder); };
  chosen.on_step_end = [&journal] { return journal->Sync(); };
  absl::StatusOr<StoryResult> result = runner.Run(story, workspace, chosen, options_.cancellation);
  RunResult overall;
  if (result.ok()) {
    result->overall.untrusted = options_.config.untrusted_validators;
    overall = result->overall;
  } else {
    overall.reason =
        absl::IsCancelled(result.status()) ? StopReason::kCancelled : StopReason::kInternal;
    overall.message = std::string(result.status().message());
  }
  events.Emit(EventType::kRunFinished, ToJson(overall));
  STILE_RETURN_IF_ERROR(journal->Sync());
  return result;
}

absl::StatusOr<StoryResult> StoryHost::Run(const std::string& story_file,
                                           const StoryOptions& options) {
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(story_file));
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, story_file));
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, options_.config.model));
  STILE_RETURN_IF_ERROR(CheckStoryModels(options_, story));
  STILE_ASSIGN_OR_RETURN(const RunPaths run,
                         context_.store->Create(NewRunId(context_.clock->Now())));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  StoryOptions chosen = options;
  chosen.story_file = RealPath(story_file).value_or("");
  chosen.max_parallelism = Parallelism(options_.config, story, 0);
  // Stories that begin at the same time choose and make their branches one after the other.
  FileLock making;
  if (options.worktree) {
    const std::string lock_file = JoinPath(context_.store->state_dir(), "worktrees.lock");
    making = FileLock(lock_file, FileLock::Wait::kYes);
    chosen.worktrees_dir = context_.store->worktrees_dir();
    chosen.run_in = [this](const std::string& folder) { return StoryIn(*context_.store, folder); };
    chosen.branch = BranchOf(story);
    if (story.branch.empty()) {
      chosen.branch = FreeBranch(context_.runner, chosen.branch, workspace_, chosen);
    }
    chosen.on_place = [this, &making, lock_file] {
      if (making.held()) context_.file_system->RemoveFile(lock_file).IgnoreError();
      making = FileLock();
    };
  }
  Event opening;
  opening.seq = 1;
  opening.type = EventType::kRunStarted;
  opening.data = StoryStart(options_, story, text, story_file, workspace_, chosen);
  opening.data.update(GroundOf(story, chosen.branch, workspace_));
  return Perform(run, lock, story, workspace_, chosen, opening);
}

absl::StatusOr<StoryResult> StoryHost::Resume(const RunPaths& run) {
  // Before anything is read: another process may be going on with it.
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(StoryHistory history,
                         ReadStoryHistory(*context_.store, run, context_.secrets));
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(history.story_file));
  const int next = history.StepToResume();
  if (Sha256Hex(text) != history.story_sha256) {
    return absl::FailedPreconditionError(
        absl::StrCat("the story ", history.story_file, " has changed since; `stile runs retry ",
                     run.id, " --step ", next, "` begins that step anew with the story as it is"));
  }
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, history.story_file));
  model_ = history.model;
  base_url_ = history.base_url;
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, Model()));
  if (history.finished) STILE_RETURN_IF_ERROR(PrepareToGoOn(context_, next, &history));
  // Before anything is done in the name of steps whose work is gone.
  STILE_RETURN_IF_ERROR(Recover(history.workspace));
  // Behind the last step the delivery looks, and takes back a commit that a hook has altered.
  if (next <= static_cast<int>(story.steps.size())) {
    STILE_RETURN_IF_ERROR(CheckStepsStand(Archive(), history, run.id, next));
  }
  STILE_RETURN_IF_ERROR(CheckExpectationsStand(Archive(), history, story, run.id, next));
  STILE_ASSIGN_OR_RETURN(
      StoryOptions options,
      OptionsToResume(Archive(), history, next, /*other_model=*/Model() != history.model));
  options.max_parallelism = Parallelism(options_.config, story, history.options.max_parallelism);
  Event opening;
  opening.seq = history.last_seq + 1;
  opening.type = EventType::kRunResumed;
  opening.data = {{"turns", options.done_turns}, {"step", next}, {"workspace_changed", false}};
  return Perform(run, lock, story, history.workspace, options, opening);
}

absl::StatusOr<StoryResult> StoryHost::Retry(const RunPaths& earlier, int first_step) {
  // Held until the new run has ended, so that no process resumes the run that is taken back.
  STILE_ASSIGN_OR_RETURN(const RunLock earlier_lock, RunLock::Acquire(earlier));
  STILE_ASSIGN_OR_RETURN(const StoryHistory history,
                         ReadStoryHistory(*context_.store, earlier, context_.secrets));
  if (!history.commit.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("story ", earlier.id, " is committed as ",
                                                      history.commit.substr(0, 12),
                                                      "; there is nothing left to retry"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(history.story_file));
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, history.story_file));
  STILE_RETURN_IF_ERROR(CheckCanRetry(history, story, first_step));
  model_ = history.model;
  base_url_ = history.base_url;
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, Model()));
  STILE_RETURN_IF_ERROR(ResetSteps(Archive(), history, story, earlier.id, first_step));
  STILE_RETURN_IF_ERROR(
      WriteUndone(DiskFileSystem(), earlier, {context_.clock->Now(), true, UndoReport()}));
  StoryOptions options = history.OptionsFrom(first_step);
  options.story_file = RealPath(history.story_file).value_or("");
  options.earlier_run_ids.push_back(earlier.id);
  options.max_parallelism = Parallelism(options_.config, story, 0);
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> accepted,
                         AcceptedBefore(Archive(), history, first_step));
  for (const RecordedChange& change : accepted) options.done_changed.push_back(change.path);
  STILE_ASSIGN_OR_RETURN(const RunPaths run,
                         context_.store->Create(NewRunId(context_.clock->Now())));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  Event opening;
  opening.seq = 1;
  opening.type = EventType::kRunStarted;
  opening.data = StoryStart(options_, story, text, history.story_file, history.workspace, options);
  opening.data.update(GroundOf(story, options.branch, history.workspace));
  if (options_.config.model.empty()) opening.data["model"] = history.model;
  if (options_.config.base_url.empty()) opening.data["base_url"] = history.base_url;
  opening.data["retry_of"] = earlier.id;
  return Perform(run, lock, story, history.workspace, options, opening);
}

absl::StatusOr<RunResult> StoryHost::RunStep(const StepTask& task, const EventSink& sink) {
  AgentTask session;
  session.text = task.task;
  session.context = task.context;
  session.workspace = task.workspace;
  session.agent = task.agent;
  session.max_turns = task.max_turns;
  session.allow = task.allow;
  session.retry = task.retry;
  session.cassette_step = task.name;
  session.model = model_;
  session.base_url = base_url_;
  session.turns_before = {task.turns_before, task.own_turns_before};
  session.delivered = task.delivered;
  session.go_on = task.go_on;
  SessionContext context = context_;
  if (task.cancellation != nullptr) context.cancellation = task.cancellation;
  return RunAgent(context, task.run_id, session, sink);
}

absl::StatusOr<RunResult> StoryHost::RunMerge(const MergeTask& task, const EventSink& sink) {
  return RunEdits(context_, task, sink);
}

absl::Status StoryHost::ShareDependencies(const std::string& workspace, const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(
      const WorkspaceState source,
      InspectWorkspace(
          context_.runner,
          [this](const Repository& repository) { return WrapPrograms(repository); }, workspace,
          [](const std::string&) { return false; }, {}));
  return LinkDependencies(workspace, source.rules, folder);
}

std::optional<std::string> StoryHost::WorkspaceOf(const std::string& run_id) {
  const absl::StatusOr<RunPaths> run = context_.store->Find(run_id);
  if (!run.ok() || run->id != run_id) return std::nullopt;
  const absl::StatusOr<RunSummary> summary = context_.store->Summarize(*run);
  if (!summary.ok()) return "";
  if (summary->reason == kNotBegun) return std::nullopt;
  return summary->workspace;
}

absl::Status StoryHost::ForgetWorkspace(const std::string& workspace) {
  const absl::StatusOr<Repository> repository = Repository::Open(context_.runner, workspace);
  if (repository.ok()) {
    const std::lock_guard<std::mutex> lock(git_sandboxes_mutex_);
    git_sandboxes_.erase(repository->git_dir());
  }
  STILE_ASSIGN_OR_RETURN(const std::string folder, context_.store->WorkspaceDir(workspace));
  return RemoveTree(folder);
}

absl::StatusOr<ValidationReport> StoryHost::ValidateAll(const std::string& workspace, Level level) {
  ValidateArguments arguments;
  arguments.level = level;
  return ValidateWorkspace(context_, workspace, std::move(arguments));
}

absl::StatusOr<ValidationReport> StoryHost::ValidateTree(const CleanCheckout& checkout) {
  STILE_RETURN_IF_ERROR(ShareDependencies(checkout.dependencies, checkout.folder));
  return ValidateCheckout(context_, checkout);
}

absl::StatusOr<std::vector<RecordedChange>> StoryHost::ChangesOf(const std::string& run_id) {
  STILE_ASSIGN_OR_RETURN(const RunPaths run, context_.store->Find(run_id));
  return ReadChanges(run);
}

absl::StatusOr<std::vector<std::string>> StoryHost::WrapPrograms(const Repository& repository) {
  const std::lock_guard<std::mutex> lock(git_sandboxes_mutex_);
  std::unique_ptr<RunSandbox>& sandbox = git_sandboxes_[repository.git_dir()];
  if (sandbox == nullptr) {
    STILE_ASSIGN_OR_RETURN(sandbox, OpenSandbox(context_, repository.root(), repository, ""));
  }
  return sandbox->ProgramWrapper(repository.git_dir(), repository.common_dir());
}

Json StoryHost::GroundOf(const Story& story, const std::string& branch,
                         const std::string& workspace) const {
  const absl::StatusOr<BranchOrigin> ground =
      DescribeOrigin(context_.runner, branch.empty() ? BranchOf(story) : branch, workspace);
  return ground.ok() ? Json{{"ground", stile::ToJson(*ground)}} : Json::object();
}

absl::Status StoryHost::Recover(const std::string& workspace) {
  if (!DirectoryExists(workspace)) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(Restored restored,
                         RecoverTransactions(DiskFileSystem(), context_.clock,
                                             context_.store->edits_dir(), workspace));
  for (std::string& path : restored.changed) restored_.changed.push_back(std::move(path));
  for (std::string& path : restored.foreign) restored_.foreign.push_back(std::move(path));
  return absl::OkStatus();
}

RunArchive StoryHost::Archive() const { return {context_.store, context_.runner, context_.clock}; }

const std::string& StoryHost::Model() const {
  return options_.config.model.empty() ? model_ : options_.config.model;
}

}  // namespace stile
