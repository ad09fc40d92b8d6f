#include "runtime/verify/verify_loop.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/budget.h"
#include "runtime/agent_loop/model_events.h"
#include "runtime/agent_loop/model_refusal.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/verify/verify_prompt.h"

namespace stile {
namespace {

Message UserMessage(std::string text) {
  Message message;
  message.role = Role::kUser;
  message.text = std::move(text);
  return message;
}

// Why a reply without usable text is none; "" for one that has text.
std::string WhyUseless(const ModelReply& reply) {
  switch (reply.finish_reason) {
    case FinishReason::kRefusal:
      return "the model declined to answer";
    case FinishReason::kContentFilter:
      return "the provider's filter stopped the reply";
    case FinishReason::kStop:
    case FinishReason::kToolCalls:
    case FinishReason::kLength:
      return "";
  }
  return "";
}

}  // namespace

VerifyEnd VerifyLoop::Run() {
  spent_before_ = state_.spent;
  began_ = parts_.clock->Monotonic();
  state_.status = VerifyStatus::kRunning;
  state_.error.clear();
  end_ = VerifyEnd();
  RefreshFiles(parts_.code, &state_);
  // A person may have dismissed what was open.
  if (const Convergence found = CheckConvergence(state_); found.is_converged) {
    Stop(VerifyStatus::kConverged, StopReason::kNone, absl::StrCat("Converged: ", found.reason));
  }
  while (state_.status == VerifyStatus::kRunning) {
    if (state_.next_role == ReviewRole::kVerifier && state_.round >= state_.options.max_rounds) {
      RefreshFiles(parts_.code, &state_);
      Stop(VerifyStatus::kStopped, StopReason::kNotConverged,
           absl::StrCat("Max rounds (", state_.options.max_rounds,
                        ") reached: ", CheckConvergence(state_).reason));
      break;
    }
    if (IsUsedUp()) break;
    const ReviewRole role = state_.next_role;
    if (role == ReviewRole::kVerifier) ++state_.round;
    const absl::Status played = PlayRound(role);
    state_.spent = Spent();
    if (played.ok()) {
      Judge(role);
    } else {
      if (role == ReviewRole::kVerifier) --state_.round;  // it did not take place
      FailBecause(played, failed_as_);
      if (end_.reason == StopReason::kCancelled) return end_;
    }
    if (state_.status != VerifyStatus::kRunning) break;
    if (const absl::Status kept = parts_.keep(state_); !kept.ok()) {
      FailBecause(kept, StopReason::kInternal);
    }
  }
  CloseSession();
  state_.spent = Spent();
  const absl::Status kept = parts_.keep(state_);
  if (!kept.ok() && end_.reason != StopReason::kInternal) FailBecause(kept, StopReason::kInternal);
  return end_;
}

absl::Status VerifyLoop::PlayRound(ReviewRole role) {
  const absl::Duration start = parts_.clock->Monotonic();
  VerifyRound round;
  round.number = state_.round;
  round.role = role;
  const std::map<std::string, std::string> holes = FillRound(parts_.code, &state_, &round);
  if (round.context.empty()) {
    return absl::FailedPreconditionError("none of the files can be read any more");
  }
  const PromptTemplate& prompt = role == ReviewRole::kVerifier ? *parts_.verifier : *parts_.critic;
  STILE_ASSIGN_OR_RETURN(round.prompt, prompt.Fill(holes));
  parts_.events->Emit(RoundStartEvent{round.number, std::string(ReviewRoleName(role))});
  STILE_ASSIGN_OR_RETURN(const ReviewReply reply, Ask(role, &round));
  const size_t issues_before = state_.issues.size();
  TakeUp(reply, parts_.code, &state_, &round);
  round.duration = parts_.clock->Monotonic() - start;
  state_.rounds.push_back(round);
  DropOldPrompts(&state_);
  EmitRound(round, issues_before);
  return absl::OkStatus();
}

absl::StatusOr<ReviewReply> VerifyLoop::Ask(ReviewRole role, VerifyRound* round) {
  ModelRequest request;
  request.max_output_tokens = state_.options.max_tokens;
  request.messages.push_back(UserMessage(round->prompt));
  if (parts_.limits.wall_time_s > 0) {
    request.ends_at = began_ + absl::Seconds(parts_.limits.wall_time_s) - spent_before_;
  }
  for (bool is_first = true;; is_first = false) {
    STILE_ASSIGN_OR_RETURN(const ModelReply reply, Complete(request, round));
    round->response = ToUtf8(reply.text);
    std::string why = WhyUseless(reply);
    if (why.empty()) {
      auto parsed = ParseReviewReply(role, round->response);
      if (parsed.ok()) return parsed;
      why = std::string(parsed.status().message());
    }
    if (!is_first) {
      failed_as_ = StopReason::kUnparsable;
      return absl::DataLossError(
          absl::StrCat("the reply of the ", ReviewRoleName(role), " in round ", round->number,
                       " cannot be read, and neither could the one before it: ", why,
                       reply.finish_reason == FinishReason::kLength
                           ? absl::StrCat(". It was cut off after ", state_.options.max_tokens,
                                          " tokens: allow more with --reply-tokens (maxTokens)")
                           : ""));
    }
    request.messages.push_back(ToMessage(reply));
    request.messages.push_back(UserMessage(
        absl::StrCat("This reply cannot be used: ", why,
                     "\nAnswer again, with the JSON object alone, in the form that was asked for.",
                     reply.finish_reason == FinishReason::kLength
                         ? " It was too long: name the most important issues only."
                         : "")));
  }
}

absl::StatusOr<ModelReply> VerifyLoop::Complete(const ModelRequest& request, VerifyRound* round) {
  ModelEvents listener(state_.replies + 1, [this](EventType type, Json data) {
    parts_.events->Emit(type, std::move(data));
  });
  failed_as_ = StopReason::kModelError;
  STILE_ASSIGN_OR_RETURN(ModelReply reply,
                         parts_.model->Complete(request, &listener, parts_.cancellation));
  failed_as_ = StopReason::kInternal;
  ++state_.replies;
  round->usage += reply.usage;
  state_.usage += reply.usage;
  return reply;
}

void VerifyLoop::EmitRound(const VerifyRound& round, size_t issues_before) {
  for (size_t i = issues_before; i < state_.issues.size(); ++i) {
    const VerifyIssue& issue = state_.issues[i];
    parts_.events->Emit(RaisedEvent(issue));
  }
  for (const std::string& id : round.issues_resolved) {
    const VerifyIssue& issue = *state_.FindIssue(id);
    parts_.events->Emit(IssueResolvedEvent{
        id,
        issue.critic_verdict.has_value() ? std::string(CriticVerdictName(*issue.critic_verdict))
                                         : "",
        issue.resolution});
  }
  parts_.events->Emit(RoundCompleteEvent{.round = round.number,
                                         .role = std::string(ReviewRoleName(round.role)),
                                         .issues_raised = round.issues_raised.size(),
                                         .issues_resolved = round.issues_resolved.size(),
                                         .rejected = round.rejected,
                                         .context_expanded = round.context_expanded,
                                         .new_files_discovered = round.new_files_discovered,
                                         .usage = ToJson(round.usage),
                                         .duration_ms = absl::ToInt64Milliseconds(round.duration)});
}

void VerifyLoop::Judge(ReviewRole role) {
  const Convergence found = CheckConvergence(state_);
  parts_.events->Emit(ConvergenceCheckEvent{.round = state_.round,
                                            .is_converged = found.is_converged,
                                            .reason = found.reason,
                                            .unresolved_issues = found.unresolved_issues,
                                            .critical_unresolved = found.critical_unresolved});
  const bool is_to_judge =
      std::any_of(state_.issues.begin(), state_.issues.end(),
                  [](const VerifyIssue& issue) { return issue.is_open_to_critic(); });
  state_.next_role =
      role == ReviewRole::kVerifier && is_to_judge ? ReviewRole::kCritic : ReviewRole::kVerifier;
  if (state_.options.stop_on_critical && found.critical_unresolved > 0) {
    return Stop(VerifyStatus::kStopped, StopReason::kNotConverged,
                absl::StrCat("Stopped: ", found.critical_unresolved, " CRITICAL ",
                             found.critical_unresolved == 1 ? "issue" : "issues", " found"));
  }
  // Issues that wait for the critic are part of the round.
  if (state_.next_role == ReviewRole::kCritic) return;
  if (found.is_converged) {
    Stop(VerifyStatus::kConverged, StopReason::kNone, absl::StrCat("Converged: ", found.reason));
  } else if (found.is_settled) {
    Stop(VerifyStatus::kStopped, StopReason::kNotConverged,
         absl::StrCat("Verifier and critic agree: ", found.reason));
  }
}

void VerifyLoop::Stop(VerifyStatus status, StopReason reason, std::string why) {
  state_.status = status;
  state_.convergence_reason = why;
  end_.reason = reason;
  end_.message = std::move(why);
}

void VerifyLoop::FailBecause(const absl::Status& status, StopReason reason) {
  end_.message = std::string(status.message());
  if (absl::IsCancelled(status)) {
    end_.reason = StopReason::kCancelled;
    return;
  }
  end_.reason = reason;
  end_.is_final =
      reason == StopReason::kModelError && IsFinalRefusal(status, /*is_first=*/state_.replies == 0);
  state_.status = VerifyStatus::kError;
  state_.error = end_.message;
  parts_.events->Emit(ErrorEvent{state_.error});
}

void VerifyLoop::CloseSession() {
  for (VerifyIssue& issue : state_.issues) {
    if (!issue.is_active() || issue.status == IssueStatus::kUnresolved) continue;
    issue.MoveTo(IssueStatus::kUnresolved, state_.round, "session",
                 absl::StrCat("Open at the end: ",
                              state_.error.empty() ? state_.convergence_reason : state_.error));
  }
}

bool VerifyLoop::IsUsedUp() {
  Budget budget(parts_.limits);
  for (int i = 0; i < state_.replies; ++i) budget.AddTurn();
  budget.AddUsage(state_.usage);
  const std::optional<StopReason> exceeded = budget.Exceeded(Spent());
  if (!exceeded.has_value()) return false;
  Stop(
      VerifyStatus::kStopped, *exceeded,
      absl::StrCat("the limit ", StopReasonName(*exceeded), " is used up in round ", state_.round));
  return true;
}

absl::Duration VerifyLoop::Spent() const {
  return spent_before_ + (parts_.clock->Monotonic() - began_);
}

}  // namespace stile
