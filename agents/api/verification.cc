#include "agents/api/verification.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/catalog.h"
#include "agents/api/model_checks.h"
#include "agents/api/reviewed_files.h"
#include "agents/api/untrusted.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
#include "runtime/journal/journal.h"
#include "runtime/verify/debate.h"
#include "runtime/verify/verify_loop.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kCheckpointRounds = 2;
constexpr size_t kMaxStateBytes = size_t{256} << 20;

std::string StateFile(const RunPaths& run) { return JoinPath(run.folder, "verification.json"); }
std::string CheckpointFile(const RunPaths& run, int round) {
  return JoinPath(run.folder, absl::StrCat("verification-", round, ".json"));
}

absl::StatusOr<VerifyState> ReadState(const std::string& file) {
  STILE_ASSIGN_OR_RETURN(const std::string text, DiskFileSystem()->ReadFile(file, kMaxStateBytes));
  const auto json = ParseJson(text);
  auto state = json.ok() ? VerifyStateFromJson(*json) : absl::StatusOr<VerifyState>(json.status());
  if (state.ok()) return state;
  return absl::DataLossError(
      absl::StrCat(file, " is damaged: ", state.status().message(),
                   "; go back to a checkpoint with --from-round, or start a new session"));
}

// Goes back to the newest checkpoint before `round` is played. What was used stays used. Later
// checkpoints are of no use any more; `end` gets the round of the one that was taken.
absl::Status GoBack(const RunPaths& run, int round, VerifyState* state, int* end) {
  if (round > state->round + 1) {
    return absl::InvalidArgumentError(absl::StrCat("--from-round ", round, ": run ", run.id,
                                                   " has played ", state->round, " rounds"));
  }
  *end = round - 1;
  while (*end > 0 && !FileExists(CheckpointFile(run, *end))) --*end;
  STILE_ASSIGN_OR_RETURN(VerifyState earlier, ReadState(CheckpointFile(run, *end)));
  earlier.replies = state->replies;
  earlier.fixes = state->fixes;
  earlier.other_turns = state->other_turns;
  earlier.usage = state->usage;
  // Checkpoints leave prompts out.
  for (size_t i = 0; i < earlier.rounds.size() && i < state->rounds.size(); ++i) {
    earlier.rounds[i].prompt = state->rounds[i].prompt;
  }
  *state = std::move(earlier);
  return absl::OkStatus();
}

absl::Status RemoveCheckpointsAfter(const RunPaths& run, int round) {
  for (int later = round + 1; later <= kMaxVerifyRounds; ++later) {
    const std::string file = CheckpointFile(run, later);
    if (FileExists(file)) STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(file));
  }
  return absl::OkStatus();
}

// The state to go back from; if it is damaged, that of the newest checkpoint.
absl::StatusOr<VerifyState> StateToGoBackFrom(const RunPaths& run) {
  auto state = ReadVerification(run);
  if (!absl::IsDataLoss(state.status())) return state;
  for (int round = kMaxVerifyRounds; round >= 0; --round) {
    if (FileExists(CheckpointFile(run, round))) return ReadState(CheckpointFile(run, round));
  }
  return state;
}

// Files that the targets hold now count, also those that were seen for another reason before.
absl::Status AddTargets(const ReviewedFiles& files, const std::string& workspace,
                        VerifyState* state) {
  std::vector<std::string> present;
  for (const std::string& target : state->targets) {
    const bool is_absolute = absl::StartsWith(target, "/");
    if (FileExists(is_absolute ? target : JoinPath(workspace, target))) present.push_back(target);
  }
  if (present.empty() && !state->targets.empty()) {
    return absl::FailedPreconditionError("none of the targets is there any more");
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                         files.Expand(present, state->exclude));
  for (const std::string& path : paths) {
    VerifyFile* const known = state->FindFile(path);
    if (known == nullptr) {
      state->files.push_back({path, "", false, {}});
    } else {
      known->is_discovered = false;
    }
  }
  return absl::OkStatus();
}

std::string TaskOf(const VerifyState& state) {
  return absl::StrCat("Verify ",
                      state.targets.empty() ? "the workspace" : absl::StrJoin(state.targets, ", "));
}

// "4 issues, 3 open (1 critical, 2 high), 2 rounds".
std::string AnswerOf(const VerifyState& state) {
  size_t critical = 0;
  size_t high = 0;
  size_t open = 0;
  for (const VerifyIssue& issue : state.issues) {
    if (!issue.is_active()) continue;
    ++open;
    critical += issue.severity == IssueSeverity::kCritical ? 1 : 0;
    high += issue.severity == IssueSeverity::kHigh ? 1 : 0;
  }
  return absl::StrCat(Count(state.issues.size(), "issue"), ", ", open, " open (", critical,
                      " critical, ", high, " high), ",
                      Count(static_cast<size_t>(state.round), "round"));
}

// The task of a run that mends what was agreed on; "": nothing was.
std::string FixTask(const VerifyState& state) {
  std::string task;
  for (const VerifyIssue& issue : state.issues) {
    if (!issue.is_active() || !issue.is_agreed()) continue;
    absl::StrAppend(&task, "\n", issue.id, " (", IssueSeverityName(issue.severity), ", ",
                    IssuePlaceText(issue.place), "): ", issue.summary, "\n", issue.description,
                    "\nThe code:\n", issue.evidence, "\n");
    if (!issue.critic_reasoning.empty()) {
      absl::StrAppend(&task, "The critic: ", issue.critic_reasoning, "\n");
    }
  }
  if (task.empty()) return "";
  return absl::StrCat(
      "Mend the defects below, which a review has found. Change what is needed for them and "
      "nothing else.\n",
      task);
}

std::string ModelOf(const VerificationServices& services) {
  const std::string& chosen = services.context->options->config.model;
  return chosen.empty() ? services.model : chosen;
}

// One process's part of a verification.
class VerificationRun {
 public:
  // `began_with`: the model of the first process; another one has given none of the replies.
  VerificationRun(const VerificationServices& services, RunPaths run, VerifyState state,
                  const std::string& began_with)
      : services_(services),
        context_(*services.context),
        run_(std::move(run)),
        state_(std::move(state)),
        replies_of_others_(ModelOf(services) == began_with ? 0
                                                           : state_.replies + state_.other_turns) {}

  // The state comes from the checkpoint after this round.
  void DropCheckpointsAfter(int round) { last_checkpoint_ = round; }
  // Plays from where the state stands. `opening`: the first event, with its number.
  absl::StatusOr<VerificationOutcome> Play(const Event& opening, bool fix);

 private:
  absl::Status OpenModel();
  absl::Status OpenFiles();
  absl::Status PlayRounds();
  // Compares the issues with the code, which the user or a run may have changed. `proof` names what
  // passed besides the validation that this runs; "": nothing.
  absl::Status CompareWithCode(const std::string& proof);
  absl::Status RunFix();
  void FailBecause(const absl::Status& status);
  ReviewedCode Code() const;
  absl::Status Keep(const VerifyState& state) const;
  RunResult Overall(absl::Duration took) const;
  // Of the model of this process, as cassettes count.
  int PlayedReplies() const { return state_.replies + state_.other_turns - replies_of_others_; }

  const VerificationServices& services_;
  const SessionContext& context_;
  const RunPaths run_;
  VerifyState state_;
  const int replies_of_others_;
  std::optional<int> last_checkpoint_;
  std::optional<ReviewedFiles> files_;
  std::unique_ptr<ChatModel> model_;
  std::vector<PromptTemplate> prompts_;  // of the verifier, of the critic
  EventStream* events_ = nullptr;
  VerifyEnd end_;
  std::optional<RunResult> fix_;
};

absl::StatusOr<VerificationOutcome> VerificationRun::Play(const Event& opening, bool fix) {
  STILE_RETURN_IF_ERROR(OpenModel());
  STILE_RETURN_IF_ERROR(OpenFiles());
  STILE_RETURN_IF_ERROR(Keep(state_));
  if (last_checkpoint_.has_value()) {
    STILE_RETURN_IF_ERROR(RemoveCheckpointsAfter(run_, *last_checkpoint_));
  }
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<JournalWriter> journal,
                         JournalWriter::Open(run_.journal));
  EventStream events(run_.id, context_.clock, opening.seq, context_.secrets);
  events_ = &events;
  events.AddSink([&](const Event& event) { journal->Append(event); });
  if (services_.on_event) events.AddSink(services_.on_event);
  events.Emit(opening.type, opening.data);
  SayUntrusted(context_.options->config, &events);
  STILE_RETURN_IF_ERROR(journal->Sync());
  const absl::Duration start = context_.clock->Monotonic();
  absl::Status status = CompareWithCode("");
  if (status.ok()) status = PlayRounds();
  const bool has_ended =
      state_.status == VerifyStatus::kConverged || state_.status == VerifyStatus::kStopped;
  if (status.ok() && fix && has_ended) {
    status = RunFix();
    if (status.ok() && fix_.has_value() && fix_->ok()) status = PlayRounds();
  }
  if (status.ok()) status = journal->status();
  if (!status.ok()) FailBecause(status);
  // One that was cancelled has no result yet.
  if (state_.status != VerifyStatus::kRunning) {
    events.Emit(EventType::kComplete, ResultOf(state_));
  }
  VerificationOutcome outcome;
  outcome.run_id = run_.id;
  outcome.overall = Overall(context_.clock->Monotonic() - start);
  outcome.fix = fix_;
  events.Emit(EventType::kRunFinished, ToJson(outcome.overall));
  STILE_RETURN_IF_ERROR(journal->Sync());
  outcome.state = std::move(state_);
  return outcome;
}

void VerificationRun::FailBecause(const absl::Status& status) {
  end_.message = FailureText(status, run_.id);
  if (absl::IsCancelled(status)) {
    end_.reason = StopReason::kCancelled;
    state_.status = VerifyStatus::kRunning;
  } else {
    end_.reason = StopReason::kInternal;
    state_.status = VerifyStatus::kError;
    state_.error = end_.message;
    events_->Emit(ErrorEvent{state_.error});
  }
  Keep(state_).IgnoreError();  // the disk may be the reason
}

absl::Status VerificationRun::OpenModel() {
  AgentTask task;
  task.model = services_.model;
  task.base_url = services_.base_url;
  task.cassette_step = services_.cassette_step;
  task.turns_before = services_.turns_before;
  RunPlan plan;
  plan.limits = context_.options->config.limits;
  plan.model = SettingsOf(context_, task);
  plan.model.replay_skip += static_cast<size_t>(PlayedReplies());
  STILE_ASSIGN_OR_RETURN(model_, ModelFor(context_, plan));
  prompts_.clear();
  for (const char* name : {"verifier", "critic"}) {
    STILE_ASSIGN_OR_RETURN(PromptTemplate prompt, LoadPrompt(name));
    prompts_.push_back(std::move(prompt));
  }
  return absl::OkStatus();
}

absl::Status VerificationRun::OpenFiles() {
  STILE_ASSIGN_OR_RETURN(files_, ReviewedFiles::Open(&context_, services_.workspace));
  return AddTargets(*files_, services_.workspace, &state_);
}

ReviewedCode VerificationRun::Code() const {
  return {[this](const std::string& path) { return files_->Read(path); },
          [this] { return files_->SourceFiles(); }};
}

absl::Status VerificationRun::PlayRounds() {
  VerifyParts parts;
  parts.model = model_.get();
  parts.verifier = &prompts_.front();
  parts.critic = &prompts_.back();
  parts.code = Code();
  parts.keep = [this](const VerifyState& state) { return Keep(state); };
  parts.events = events_;
  parts.clock = context_.clock;
  parts.cancellation = context_.cancellation;
  parts.limits = context_.options->config.limits;
  end_ = VerifyLoop(std::move(parts), &state_).Run();
  return absl::OkStatus();
}

absl::Status VerificationRun::CompareWithCode(const std::string& proof) {
  if (!HasChanged(Code(), state_)) return absl::OkStatus();
  for (const std::string& id : ReopenReturned(Code(), &state_)) {
    const VerifyIssue& issue = *state_.FindIssue(id);
    events_->Emit(RaisedEvent(issue));
  }
  if (!HasChanged(Code(), state_)) return Keep(state_);
  STILE_ASSIGN_OR_RETURN(const bool passes, services_.validate());
  if (!passes) {
    events_->Emit(
        Warning("The code of some issues has changed, but the workspace does not pass a "
                "validation (`stile validate`): they stay open."));
    return Keep(state_);
  }
  const std::string passed =
      proof.empty() ? "a validation of the workspace" : absl::StrCat("a validation after ", proof);
  for (const std::string& id : CloseMended(Code(), passed, &state_)) {
    events_->Emit(IssueResolvedEvent{id, "", state_.FindIssue(id)->resolution});
  }
  return Keep(state_);
}

absl::Status VerificationRun::RunFix() {
  AgentTask task;
  task.text = FixTask(state_);
  if (task.text.empty()) {
    const bool is_done = std::none_of(state_.issues.begin(), state_.issues.end(),
                                      [](const VerifyIssue& issue) { return issue.is_active(); });
    if (is_done) return absl::OkStatus();
    events_->Emit(Warning("Nothing is mended: the critic has agreed to no open issue."));
    return absl::OkStatus();
  }
  task.workspace = services_.workspace;
  task.model = services_.model;
  task.base_url = services_.base_url;
  task.cassette_step = services_.cassette_step;
  task.turns_before = services_.turns_before;
  task.turns_before.of_all += PlayedReplies();
  task.turns_before.of_step += PlayedReplies();
  const std::string id = absl::StrCat(run_.id, ".", ++state_.fixes);
  STILE_RETURN_IF_ERROR(Keep(state_));
  const EventSink sink = [this](const Event& event) {
    if (event.type == EventType::kRunStarted || event.type == EventType::kRunFinished) return;
    Json data = event.data;
    data["step"] = "fix";
    events_->Emit(event.type, std::move(data));
  };
  STILE_ASSIGN_OR_RETURN(fix_, services_.run_agent(id, task, sink));
  state_.other_turns += fix_->turns;
  state_.usage += fix_->usage;
  if (fix_->reason == StopReason::kCancelled) return absl::CancelledError(fix_->message);
  // What converged is not the code that a failed run leaves.
  if (!fix_->ok() && end_.reason == StopReason::kNone) {
    end_.reason = fix_->reason;
    state_.status = VerifyStatus::kStopped;
    state_.convergence_reason = "Stopped: the run that was to mend the open issues failed";
    end_.message = state_.convergence_reason;
  }
  if (fix_->ok()) {
    STILE_RETURN_IF_ERROR(OpenFiles());
    STILE_RETURN_IF_ERROR(CompareWithCode(absl::StrCat("run ", id)));
  }
  // A recording or a cassette goes on behind the turns of the fix.
  STILE_RETURN_IF_ERROR(OpenModel());
  return Keep(state_);
}

absl::Status VerificationRun::Keep(const VerifyState& state) const {
  FileSystem* const fs = context_.file_system;
  STILE_RETURN_IF_ERROR(WriteFileAtomically(fs, StateFile(run_), DumpJson(ToJson(state), 1), 0600));
  if (state.next_role != ReviewRole::kVerifier || state.round % kCheckpointRounds != 0) {
    return absl::OkStatus();
  }
  VerifyState checkpoint = state;
  for (VerifyRound& round : checkpoint.rounds) round.prompt.clear();
  return WriteFileAtomically(fs, CheckpointFile(run_, state.round), DumpJson(ToJson(checkpoint), 1),
                             0600);
}

RunResult VerificationRun::Overall(absl::Duration took) const {
  RunResult result;
  result.outcome = end_.reason == StopReason::kNone ? RunState::kSucceeded : RunState::kFailed;
  result.reason = end_.reason;
  result.message = end_.message;
  result.is_final = end_.is_final;
  result.answer = AnswerOf(state_);
  result.usage = state_.usage;
  result.turns = state_.replies + state_.other_turns;
  result.duration = took;
  result.untrusted = context_.options->config.untrusted_validators;
  if (!fix_.has_value()) return result;
  result.changed = fix_->changed;
  result.certificate = fix_->certificate;
  if (!fix_->ok()) {
    absl::StrAppend(&result.message, "\nThe run that was to mend them failed (",
                    StopReasonName(fix_->reason), "): ", fix_->message);
  }
  return result;
}

Event OpeningOf(const VerificationServices& services, const VerifyState& state, bool fix) {
  const Config& config = services.context->options->config;
  Event opening;
  opening.seq = 1;
  opening.type = EventType::kRunStarted;
  opening.data = {
      {"kind", kVerificationKind},
      {"task", ToUtf8(TaskOf(state))},
      {"workspace", ToUtf8(services.workspace)},
      {"model", ModelOf(services)},
      {"base_url", PublicUrl(config.base_url.empty() ? services.base_url : config.base_url)},
      {"targets", state.targets},
      {"files", state.files.size()},
      {"options", ToJson(state.options)},
      {"fix", fix}};
  AddUntrusted(config, &opening.data);
  return opening;
}

void Change(const VerificationChanges& changes, VerifyOptions* options) {
  options->max_rounds = changes.max_rounds.value_or(options->max_rounds);
  options->min_rounds =
      changes.min_rounds.value_or(std::min(options->min_rounds, options->max_rounds));
  options->max_tokens = changes.max_tokens.value_or(options->max_tokens);
  options->stop_on_critical = changes.stop_on_critical.value_or(options->stop_on_critical);
  options->auto_consolidate = changes.auto_consolidate.value_or(options->auto_consolidate);
}

// The outcome of a session that has converged, as it was kept.
VerificationOutcome ConvergedOutcome(const RunPaths& run, VerifyState state) {
  VerificationOutcome outcome;
  outcome.run_id = run.id;
  outcome.overall.outcome = RunState::kSucceeded;
  outcome.overall.message = state.convergence_reason;
  outcome.overall.answer = AnswerOf(state);
  outcome.state = std::move(state);
  return outcome;
}

absl::Status Dismiss(const std::map<std::string, std::string>& dismissed, VerifyState* state) {
  for (const auto& [id, reason] : dismissed) {
    VerifyIssue* const issue = state->FindIssue(id);
    if (issue == nullptr || !issue->is_active()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no open issue ", ToUtf8(id)));
    }
    issue->MoveTo(IssueStatus::kDismissed, state->round, "user", ToUtf8(reason));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VerifyState> ReadVerification(const RunPaths& run) {
  auto state = ReadState(StateFile(run));
  if (!absl::IsNotFound(state.status())) return state;
  return absl::NotFoundError(absl::StrCat("run ", run.id, " is no verification"));
}

absl::StatusOr<VerificationOutcome> StartVerification(const VerificationServices& services,
                                                      const std::string& run_id,
                                                      const VerificationRequest& request) {
  const SessionContext& context = *services.context;
  STILE_RETURN_IF_ERROR(CheckVerifyOptions(request.options));
  VerifyState state;
  state.id = run_id;
  state.options = request.options;
  state.requirements = ToUtf8(request.requirements);
  for (const std::string& target : request.targets) state.targets.push_back(ToUtf8(target));
  state.exclude = request.exclude;
  STILE_ASSIGN_OR_RETURN(const ReviewedFiles files,
                         ReviewedFiles::Open(&context, services.workspace));
  // Before anything is begun, and with the targets as they were named.
  STILE_RETURN_IF_ERROR(files.Expand(request.targets, request.exclude).status());
  STILE_RETURN_IF_ERROR(AddTargets(files, services.workspace, &state));
  AgentTask task;
  task.model = services.model;
  task.base_url = services.base_url;
  STILE_RETURN_IF_ERROR(CheckModelSettings(*context.options, SettingsOf(context, task)));
  STILE_ASSIGN_OR_RETURN(const RunPaths run, context.store->Create(run_id));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  const Event opening = OpeningOf(services, state, request.fix);
  return VerificationRun(services, run, std::move(state), ModelOf(services))
      .Play(opening, request.fix);
}

absl::StatusOr<VerificationOutcome> ContinueVerification(const VerificationServices& services,
                                                         const RunPaths& run,
                                                         const VerificationChanges& changes) {
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(VerifyState state,
                         changes.from_round > 0 ? StateToGoBackFrom(run) : ReadVerification(run));
  STILE_ASSIGN_OR_RETURN(const JournalContents journal,
                         ReadJournal(run.journal, services.context->secrets));
  if (journal.events.empty()) {
    return absl::DataLossError(absl::StrCat("the journal of run ", run.id, " has no beginning"));
  }
  const Json& start = journal.events.front().data;
  const std::string workspace = JsonString(start, "workspace").value_or("");
  if (workspace != ToUtf8(services.workspace)) {
    return absl::FailedPreconditionError(absl::StrCat("run ", run.id, " verifies ", workspace,
                                                      ", and not ", ToUtf8(services.workspace),
                                                      "; go on with it there"));
  }
  std::optional<int> checkpoint;
  if (changes.from_round > 0) {
    STILE_RETURN_IF_ERROR(GoBack(run, changes.from_round, &state, &checkpoint.emplace()));
  }
  STILE_RETURN_IF_ERROR(Dismiss(changes.dismissed, &state));
  Change(changes, &state.options);
  STILE_RETURN_IF_ERROR(CheckVerifyOptions(state.options));
  const bool has_rounds =
      state.round < state.options.max_rounds || state.next_role == ReviewRole::kCritic;
  if (!has_rounds && !changes.fix && changes.dismissed.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.id, " has used its ", state.options.max_rounds,
                     " rounds; allow more: stile verify --resume ", run.id, " --max-rounds N"));
  }
  Event opening;
  opening.seq = journal.events.back().seq + 1;
  opening.type = EventType::kRunResumed;
  opening.data = {{"turns", state.replies}, {"workspace_changed", false}, {"round", state.round}};
  if (const Event& last = journal.events.back(); last.type == EventType::kRunFinished) {
    opening.data["after"] = JsonString(last.data, "reason").value_or("");
  }
  VerificationServices present = services;
  if (present.model.empty()) present.model = JsonString(start, "model").value_or("");
  if (present.base_url.empty()) present.base_url = JsonString(start, "base_url").value_or("");
  const bool fix = changes.fix || (changes.from_round == 0 && JsonBool(start, "fix") == true);
  const std::string began_with = JsonString(start, "model").value_or("");
  VerificationRun verification(present, run, std::move(state), began_with);
  if (checkpoint.has_value()) verification.DropCheckpointsAfter(*checkpoint);
  return verification.Play(opening, fix);
}

absl::StatusOr<VerificationOutcome> VerifyAsStep(VerificationServices services,
                                                 const std::string& run_id,
                                                 const VerificationRequest& request,
                                                 const AgentTask& settings, const EventSink& sink) {
  services.model = settings.model;
  services.base_url = settings.base_url;
  services.cassette_step = settings.cassette_step;
  services.turns_before = settings.turns_before;
  services.on_event = sink;
  const auto earlier = services.context->store->Find(run_id);
  if (!earlier.ok() || earlier->id != run_id) return StartVerification(services, run_id, request);
  // By hand, or before a kill kept the workflow from noticing.
  if (auto state = ReadVerification(*earlier);
      state.ok() && state->status == VerifyStatus::kConverged) {
    return ConvergedOutcome(*earlier, *std::move(state));
  }
  return ContinueVerification(services, *earlier, {});
}

}  // namespace stile
