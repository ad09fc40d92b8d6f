#include "runtime/loop/run_history.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

absl::Status Damaged(const Event& event, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("journal: event ", event.seq, " (", EventTypeName(event.type), "): ", what));
}

void RecordPasses(const Json& targets, RunHistory* history) {
  if (!targets.is_array()) return;
  for (const Json& target : targets) {
    const auto key = Base64Decode(JsonString(target, "key").value_or(""));
    if (!key.ok()) continue;
    if (const Json* evidence = JsonMember(target, "evidence")) {
      history->passes[*key] = *evidence;
    } else {
      history->passes.erase(*key);
    }
  }
}

absl::Status Apply(const Event& event, RunHistory* history) {
  const Json& data = event.data;
  if (const auto root = JsonString(data, "root")) history->root = *root;
  switch (event.type) {
    case EventType::kModelResponse: {
      const Json* reply = JsonMember(data, "reply");
      auto parsed = ModelReplyFromJson(reply == nullptr ? Json() : *reply);
      if (!parsed.ok()) return Damaged(event, parsed.status().message());
      history->unparsable_in_a_row = IsUnusable(*parsed) ? history->unparsable_in_a_row + 1 : 0;
      history->turns.push_back({*std::move(parsed), {}, std::nullopt, ""});
      return absl::OkStatus();
    }
    case EventType::kToolStarted:
    case EventType::kToolFinished: {
      const auto call = JsonInt(data, "call");
      if (history->turns.empty() || !call) return Damaged(event, "belongs to no reply");
      RunHistory::Turn& turn = history->turns.back();
      if (*call < 0 || *call >= static_cast<int64_t>(turn.reply.tool_calls.size())) {
        return Damaged(event, "names a call that the reply does not have");
      }
      if (event.type == EventType::kToolStarted) {
        turn.interrupted_call = static_cast<int>(*call);
        turn.root_before = JsonString(data, "root").value_or("");
        return absl::OkStatus();
      }
      turn.interrupted_call.reset();
      const bool ok = JsonBool(data, "ok").value_or(false);
      turn.observations.push_back(
          {static_cast<int>(*call), JsonString(data, "observation").value_or(""), ok});
      if (ok) ++history->tools_used[JsonString(data, "tool").value_or("")];
      return absl::OkStatus();
    }
    case EventType::kObservation:
      if (history->turns.empty()) return Damaged(event, "belongs to no reply");
      history->turns.back().observations.push_back(
          {-1, JsonString(data, "text").value_or(""), true});
      return absl::OkStatus();
    case EventType::kContextCompacted: {
      const auto first_kept = JsonInt(data, "first_kept");
      const Json* const record = JsonMember(data, "record");
      if (history->turns.empty() || !first_kept || *first_kept < 0 || record == nullptr) {
        return Damaged(event, "does not say what was left out");
      }
      history->turns.back().compaction = {static_cast<size_t>(*first_kept), *record};
      return absl::OkStatus();
    }
    case EventType::kValidationFinished:
      history->failures = static_cast<int>(JsonInt(data, "failures").value_or(0));
      if (const std::string verdict = JsonString(data, "verdict").value_or("");
          verdict == "fail" || verdict == "timeout") {
        ++history->failed_validations;
      }
      history->infra_errors = static_cast<int>(JsonInt(data, "infra_errors").value_or(0));
      RecordPasses(data.value("targets", Json::array()), history);
      if (const Json* outputs = JsonMember(data, "outputs"); outputs && outputs->is_array()) {
        for (const Json& output : *outputs) {
          const auto path = Base64Decode(output.is_string() ? output.get<std::string>() : "");
          if (path.ok() && !path->empty()) history->outputs.insert(*path);
        }
      }
      return absl::OkStatus();
    case EventType::kRunFinished:
      history->finished = true;
      history->finish = data;
      return absl::OkStatus();
    case EventType::kRunStarted:
    case EventType::kTurnStarted:
    case EventType::kModelRequest:
    case EventType::kModelDelta:
    case EventType::kToolOutput:
    case EventType::kWorkspaceChanged:
    case EventType::kValidationStarted:
    case EventType::kGateRejected:
    case EventType::kGateAccepted:
    case EventType::kBudgetWarning:
    case EventType::kRepetitionWarning:
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
    case EventType::kWorkflowFinished:
    case EventType::kLog:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

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
    if (history.finished) return Damaged(event, "comes after run_finished");
    STILE_RETURN_IF_ERROR(Apply(event, &history));
    history.last_seq = event.seq;
  }
  return history;
}

}  // namespace stile
