#include "runtime/agent_loop/run_history.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"

namespace stile {
namespace {

absl::Status Damaged(const Event& event, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("journal: event ", event.seq, " (", EventTypeName(event.type), "): ", what));
}

void RecordVerdicts(const Json& targets, PastValidations* past) {
  if (!targets.is_array()) return;
  for (const Json& target : targets) {
    const auto key = Base64Decode(JsonString(target, "key").value_or(""));
    if (!key.ok()) continue;
    const Json* const evidence = JsonMember(target, "evidence");
    const auto verdict = VerdictFromName(JsonString(target, "verdict").value_or(""));
    if (evidence != nullptr) {
      past->passes[*key] = *evidence;
    } else {
      past->passes.erase(*key);
    }
    if (evidence != nullptr || verdict == Verdict::kPass) {
      past->refusals.erase(*key);
    } else if (verdict.has_value() && IsAgainst(*verdict) &&
               !JsonBool(target, "is_syntax_check").value_or(false)) {
      past->refusals[*key] = *verdict;
    }
  }
}

// The journal held a secret masked, and this process does not know its value: the mask must get
// neither into a file nor to the model as if it were the value.
void MarkMaskedCalls(ModelReply* reply) {
  for (ToolCall& call : reply->tool_calls) {
    if (!HoldsMask(call.arguments)) continue;
    call.malformed =
        "This call was not made: its arguments held a secret value, which was masked in the "
        "journal of this run and is not known any more. Read the value again and repeat the call.";
  }
  if (HoldsMask(reply->provider_data)) reply->provider_data = nullptr;
}

std::string ObservationText(const Json& data, std::string text) {
  if (!UnrestoredVariables(data).empty() && HoldsMask(text)) {
    absl::StrAppend(&text,
                    "\n[A secret value was masked here when this run was stopped, and is not known "
                    "any more. Read it again where you need it.]");
  }
  return text;
}

// The pictures of a result: their bytes are in files.
std::vector<ImageData> ImagesIn(const Json& list) {
  std::vector<ImageData> images;
  for (const Json& item : list.is_array() ? list : Json::array()) {
    images.push_back(
        {JsonString(item, "media_type").value_or(""), "", JsonString(item, "file").value_or("")});
  }
  return images;
}

// Of the run's own agent, or of the sub-agent that the event names.
absl::Status ApplyToConversation(const Event& event, RunHistory* history) {
  const Json& data = event.data;
  const std::string agent = JsonString(data, "agent").value_or("");
  RunHistory::Conversation* conversation = &history->main;
  if (!agent.empty()) {
    const auto found = history->sub_agents.find(agent);
    if (found == history->sub_agents.end()) return Damaged(event, "is of no sub-agent");
    conversation = &found->second;
  }
  std::vector<RunHistory::Turn>& turns = conversation->turns;
  if (event.type == EventType::kModelResponse) {
    const auto response = ReadRecord<ModelResponseEvent>(event);
    auto parsed = ModelReplyFromJson(response.reply);
    if (!parsed.ok()) return Damaged(event, parsed.status().message());
    if (!UnrestoredVariables(data).empty()) MarkMaskedCalls(&*parsed);
    conversation->unparsable_in_a_row =
        IsUnusable(*parsed) ? conversation->unparsable_in_a_row + 1 : 0;
    turns.push_back({*std::move(parsed), {}, response.turn, std::nullopt, ""});
    history->ended_by.clear();
    return absl::OkStatus();
  }
  if (turns.empty()) return Damaged(event, "belongs to no reply");
  RunHistory::Turn& turn = turns.back();
  if (event.type == EventType::kObservation) {
    turn.observations.push_back(
        {-1, ObservationText(data, ReadRecord<ObservationEvent>(event).text), true});
    return absl::OkStatus();
  }
  if (event.type == EventType::kContextCompacted) {
    const auto first_kept = JsonInt(data, "first_kept");
    const Json* const record = JsonMember(data, "record");
    if (!first_kept || *first_kept < 0 || record == nullptr) {
      return Damaged(event, "does not say what was left out");
    }
    turn.compactions.push_back({static_cast<size_t>(*first_kept), *record});
    return absl::OkStatus();
  }
  const auto call = JsonInt(data, "call");
  if (!call || *call < 0 || *call >= static_cast<int64_t>(turn.reply.tool_calls.size())) {
    return Damaged(event, "names a call that the reply does not have");
  }
  if (event.type == EventType::kToolStarted) {
    // A call that spawned a sub-agent and was interrupted is begun again; it began as it did first.
    if (agent.empty() && !history->running_sub_agent.empty()) return absl::OkStatus();
    turn.interrupted_call = static_cast<int>(*call);
    turn.root_before = ReadRecord<ToolStartedEvent>(event).workspace_sha256;
    return absl::OkStatus();
  }
  turn.interrupted_call.reset();
  if (agent.empty()) history->running_sub_agent.clear();
  const auto finished = ReadRecord<ToolFinishedEvent>(event);
  turn.observations.push_back({finished.call, ObservationText(data, finished.observation),
                               finished.ok, ImagesIn(finished.images.value_or(Json()))});
  if (finished.ok) ++history->tools_used[finished.tool];
  return absl::OkStatus();
}

absl::Status ApplyToSubAgent(const Event& event, RunHistory* history) {
  const std::string id = JsonString(event.data, "agent").value_or("");
  if (event.type == EventType::kAgentStarted) {
    if (id.empty() || history->main.turns.empty()) return Damaged(event, "was spawned by nobody");
    history->sub_agents[id].start = event.data;
    history->running_sub_agent = id;
    return absl::OkStatus();
  }
  const auto found = history->sub_agents.find(id);
  if (found == history->sub_agents.end()) return Damaged(event, "is of no sub-agent");
  const auto finished = ReadRecord<AgentFinishedEvent>(event);
  found->second.finished =
      RunHistory::Observation{-1, ObservationText(event.data, finished.text), finished.ok};
  return absl::OkStatus();
}

void RecordValidation(const Event& event, PastValidations* past) {
  const auto finished = ReadRecord<ValidationFinishedEvent>(event);
  past->failures = finished.failures;
  if (finished.verdict == "fail" || finished.verdict == "timeout") ++past->failed_validations;
  past->infra_errors = finished.infra_errors;
  RecordVerdicts(finished.targets, past);
  for (const Json& output : finished.outputs.is_array() ? finished.outputs : Json::array()) {
    const auto path = Base64Decode(output.is_string() ? output.get<std::string>() : "");
    if (path.ok() && !path->empty()) past->outputs.insert(*path);
  }
}

absl::Status Apply(const Event& event, RunHistory* history) {
  if (const auto root = JsonString(event.data, "workspace_sha256")) history->root = *root;
  switch (event.type) {
    case EventType::kModelResponse:
    case EventType::kToolStarted:
    case EventType::kToolFinished:
    case EventType::kObservation:
    case EventType::kContextCompacted:
      return ApplyToConversation(event, history);
    case EventType::kAgentStarted:
    case EventType::kAgentFinished:
      return ApplyToSubAgent(event, history);
    case EventType::kValidationFinished:
      RecordValidation(event, &history->validations);
      return absl::OkStatus();
    case EventType::kGateRejected:
      ++history->rejections;
      return absl::OkStatus();
    case EventType::kRunFinished:
      history->finished = true;
      history->finish = event.data;
      return absl::OkStatus();
    case EventType::kRunStarted:
    case EventType::kTurnStarted:
    case EventType::kModelRequest:
    case EventType::kModelDelta:
    case EventType::kModelNotice:
    case EventType::kToolOutput:
    case EventType::kWorkspaceChanged:
    case EventType::kValidationStarted:
    case EventType::kGateAccepted:
    case EventType::kBudgetWarning:
    case EventType::kRepetitionWarning:
    case EventType::kEditsStarted:
    case EventType::kEditsFinished:
    case EventType::kProgramStarted:
    case EventType::kProgramFinished:
    case EventType::kRunResumed:
    case EventType::kStoryStarted:
    case EventType::kStepStarted:
    case EventType::kStepFinished:
    case EventType::kStoryFinished:
    case EventType::kWorkflowStarted:
    case EventType::kWorkflowStepStarted:
    case EventType::kWorkflowStepFinished:
    case EventType::kWorkflowStepSkipped:
    case EventType::kWorkflowJumped:
    case EventType::kRoundStart:
    case EventType::kRoundComplete:
    case EventType::kIssueRaised:
    case EventType::kIssueResolved:
    case EventType::kConvergenceCheck:
    case EventType::kError:
    case EventType::kComplete:
    case EventType::kWorkflowFinished:
    case EventType::kLog:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

void RunHistory::Reopen() {
  finished = false;
  ended_by = JsonString(finish, "reason").value_or("");
  validations.failures = 0;
  validations.infra_errors = 0;
  main.unparsable_in_a_row = 0;
  for (auto& [id, agent] : sub_agents) agent.unparsable_in_a_row = 0;
}

Usage RunHistory::TotalUsage() const {
  Usage usage;
  for (const Turn& turn : main.turns) usage += turn.reply.usage;
  for (const auto& [id, agent] : sub_agents) {
    for (const Turn& turn : agent.turns) usage += turn.reply.usage;
  }
  return usage;
}

size_t RunHistory::CountTurns() const {
  size_t count = main.turns.size();
  for (const auto& [id, agent] : sub_agents) count += agent.turns.size();
  return count;
}

absl::Duration TimeWorked(const std::vector<Event>& events) {
  absl::Duration worked;
  for (size_t i = 1; i < events.size(); ++i) {
    if (events[i].type == EventType::kRunResumed) continue;
    worked += std::max(events[i].time - events[i - 1].time, absl::ZeroDuration());
  }
  return worked;
}

absl::StatusOr<RunHistory> ReplayEvents(const std::vector<Event>& events) {
  if (events.empty() || events[0].type != EventType::kRunStarted) {
    return absl::DataLossError("journal: does not begin with run_started");
  }
  RunHistory history;
  history.start = events[0].data;
  history.elapsed = TimeWorked(events);
  for (const Event& event : events) {
    if (history.finished) {
      if (event.type != EventType::kRunResumed) return Damaged(event, "comes after run_finished");
      history.Reopen();
    }
    if (event.type == EventType::kRunResumed) {
      if (const Json* limits = JsonMember(event.data, "limits")) history.start["limits"] = *limits;
    }
    STILE_RETURN_IF_ERROR(Apply(event, &history));
    history.last_seq = event.seq;
  }
  return history;
}

}  // namespace stile
