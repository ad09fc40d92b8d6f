#include "agents/api/verification.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/catalog.h"
#include "agents/api/reviewed_files.h"
#include "agents/api/trust.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
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
  STILE_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return VerifyStateFromJson(json);
}

// The newest checkpoint before `round` is played.
absl::StatusOr<VerifyState> CheckpointBefore(const RunPaths& run, int round) {
  for (int end = round - 1; end >= 0; --end) {
    if (FileExists(CheckpointFile(run, end))) return ReadState(CheckpointFile(run, end));
  }
  return absl::NotFoundError(
      absl::StrCat("run ", run.id, " has no checkpoint before round ", round));
}

std::string TaskOf(const VerifyState& state) {
  return absl::StrCat("Verify ",
                      state.targets.empty() ? "the workspace" : absl::StrJoin(state.targets, ", "));
}

// "4 issues: 1 critical and 2 high open, 1 resolved".
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

  // Plays from where the state stands. `opening`: the first event, with its number.
  absl::StatusOr<VerificationOutcome> Play(const Event& opening, bool fix);

 private:
  absl::Status OpenModel();
  absl::Status PlayRounds();
  absl::Status CloseChanged();
  absl::Status RunFix();
  absl::Status Keep(const VerifyState& state) const;
  RunResult Overall(absl::Duration took) const;
  // Of the model of this process, as cassettes count.
  int PlayedReplies() const { return state_.replies + state_.other_turns - replies_of_others_; }

  const VerificationServices& services_;
  const SessionContext& context_;
  const RunPaths run_;
  VerifyState state_;
  const int replies_of_others_;
  std::optional<ReviewedFiles> files_;
  std::unique_ptr<ChatModel> model_;
  std::optional<PromptTemplate> verifier_;
  std::optional<PromptTemplate> critic_;
  EventStream* events_ = nullptr;
  VerifyEnd end_;
  std::optional<RunResult> fix_;
};

absl::StatusOr<VerificationOutcome> VerificationRun::Play(const Event& opening, bool fix) {
  STILE_RETURN_IF_ERROR(OpenModel());
  STILE_ASSIGN_OR_RETURN(files_, ReviewedFiles::Open(&context_, services_.workspace));
  STILE_RETURN_IF_ERROR(Keep(state_));
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
  absl::Status status = CloseChanged();
  if (status.ok()) status = PlayRounds();
  if (status.ok() && fix && end_.reason == StopReason::kNotConverged) {
    status = RunFix();
    if (status.ok() && fix_.has_value() && fix_->ok()) status = PlayRounds();
  }
  if (status.ok()) status = journal->status();
  if (!status.ok()) {
    end_.reason = absl::IsCancelled(status) ? StopReason::kCancelled : StopReason::kInternal;
    end_.message = FailureText(status, run_.id);
  }
  events.Emit(EventType::kComplete, ResultOf(state_));
  VerificationOutcome outcome;
  outcome.run_id = run_.id;
  outcome.overall = Overall(context_.clock->Monotonic() - start);
  outcome.fix = fix_;
  events.Emit(EventType::kRunFinished, ToJson(outcome.overall));
  STILE_RETURN_IF_ERROR(journal->Sync());
  outcome.state = std::move(state_);
  return outcome;
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
  STILE_ASSIGN_OR_RETURN(verifier_, LoadPrompt("verifier"));
  STILE_ASSIGN_OR_RETURN(critic_, LoadPrompt("critic"));
  return absl::OkStatus();
}

absl::Status VerificationRun::PlayRounds() {
  VerifyParts parts;
  parts.model = model_.get();
  parts.verifier = &*verifier_;
  parts.critic = &*critic_;
  parts.read = [this](const std::string& path) { return files_->Read(path); };
  parts.keep = [this](const VerifyState& state) { return Keep(state); };
  parts.events = events_;
  parts.clock = context_.clock;
  parts.cancellation = context_.cancellation;
  parts.limits = context_.options->config.limits;
  end_ = VerifyLoop(std::move(parts), &state_).Run();
  return absl::OkStatus();
}

// The code may have changed since the last process: by the user, or by a run that mended it.
absl::Status VerificationRun::CloseChanged() {
  const ReviewedFileReader read = [this](const std::string& path) { return files_->Read(path); };
  if (!HasMended(read, state_)) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const bool passes, services_.validate());
  if (!passes) {
    events_->Emit(EventType::kLog,
                  {{"level", "warning"},
                   {"text",
                    "The code of some issues has changed, but the workspace does not pass its "
                    "validation (`stile validate`): they stay open."}});
    return absl::OkStatus();
  }
  for (const std::string& id : CloseMended(read, "a validation of the workspace", &state_)) {
    events_->Emit(EventType::kIssueResolved,
                  {{"issueId", id}, {"verdict", ""}, {"reason", state_.FindIssue(id)->resolution}});
  }
  return Keep(state_);
}

absl::Status VerificationRun::RunFix() {
  AgentTask task;
  task.text = FixTask(state_);
  if (task.text.empty()) return absl::OkStatus();
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
  // Only what a validation judged closes an issue.
  if (fix_->outcome == RunState::kSucceeded) {
    STILE_ASSIGN_OR_RETURN(files_, ReviewedFiles::Open(&context_, services_.workspace));
    const ReviewedFileReader read = [this](const std::string& path) { return files_->Read(path); };
    for (const std::string& closed : CloseMended(read, absl::StrCat("run ", id), &state_)) {
      events_->Emit(
          EventType::kIssueResolved,
          {{"issueId", closed}, {"verdict", ""}, {"reason", state_.FindIssue(closed)->resolution}});
    }
  }
  // A recording or a cassette goes on behind the turns of the fix.
  STILE_RETURN_IF_ERROR(OpenModel());
  return Keep(state_);
}

absl::Status VerificationRun::Keep(const VerifyState& state) const {
  const std::string text = DumpJson(ToJson(state), 1);
  FileSystem* const fs = context_.file_system;
  STILE_RETURN_IF_ERROR(WriteFileAtomically(fs, StateFile(run_), text, 0600));
  if (state.next_role != ReviewRole::kVerifier || state.round % kCheckpointRounds != 0) {
    return absl::OkStatus();
  }
  return WriteFileAtomically(fs, CheckpointFile(run_, state.round), text, 0600);
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
  STILE_ASSIGN_OR_RETURN(const ReviewedFiles files,
                         ReviewedFiles::Open(&context, services.workspace));
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> paths, files.Expand(request.targets));
  VerifyState state;
  state.id = run_id;
  state.options = request.options;
  state.requirements = ToUtf8(request.requirements);
  for (const std::string& target : request.targets) state.targets.push_back(ToUtf8(target));
  for (const std::string& path : paths) {
    if (!IsUtf8(path)) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToUtf8(path), ": the name is not UTF-8, and cannot be told to a model"));
    }
    state.files.push_back({path, "", false, {}});
  }
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
  STILE_ASSIGN_OR_RETURN(VerifyState state, ReadVerification(run));
  STILE_ASSIGN_OR_RETURN(const JournalContents journal,
                         ReadJournal(run.journal, services.context->secrets));
  if (journal.events.empty()) {
    return absl::DataLossError(absl::StrCat("the journal of run ", run.id, " has no beginning"));
  }
  if (changes.from_round > 0) {
    const int replies = state.replies;
    const int fixes = state.fixes;
    const int other_turns = state.other_turns;
    const Usage usage = state.usage;
    STILE_ASSIGN_OR_RETURN(state, CheckpointBefore(run, changes.from_round));
    // What was used stays used.
    state.replies = replies;
    state.fixes = fixes;
    state.other_turns = other_turns;
    state.usage = usage;
  }
  STILE_RETURN_IF_ERROR(Dismiss(changes.dismissed, &state));
  if (changes.max_rounds.has_value()) state.options.max_rounds = *changes.max_rounds;
  STILE_RETURN_IF_ERROR(CheckVerifyOptions(state.options));
  const bool has_rounds =
      state.round < state.options.max_rounds || state.next_role == ReviewRole::kCritic;
  if (!has_rounds && !changes.fix) {
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
  const Json& start = journal.events.front().data;
  if (present.model.empty()) present.model = JsonString(start, "model").value_or("");
  if (present.base_url.empty()) present.base_url = JsonString(start, "base_url").value_or("");
  const bool fix = changes.fix || (changes.from_round == 0 && JsonBool(start, "fix") == true);
  const std::string began_with = JsonString(start, "model").value_or("");
  return VerificationRun(present, run, std::move(state), began_with).Play(opening, fix);
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
  return ContinueVerification(services, *earlier, {});
}

}  // namespace stile
