#include "runtime/event/event.h"

#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/embedded.h"

namespace stile {
namespace {

struct EventRow {
  EventType type;
  const char* name;
  std::initializer_list<const char*> fields;
  bool journaled;
};

// In the order of EventType.
constexpr EventRow kRows[] = {
    {EventType::kRunStarted, "run_started", {"task", "workspace"}, true},
    {EventType::kTurnStarted, "turn_started", {"turn"}, true},
    {EventType::kModelRequest, "model_request", {"turn", "messages"}, true},
    {EventType::kModelDelta, "model_delta", {"text"}, false},
    {EventType::kModelNotice, "model_notice", {"kind", "text", "wait_ms"}, true},
    {EventType::kModelResponse, "model_response", {"turn", "reply"}, true},
    {EventType::kToolStarted, "tool_started", {"turn", "call", "tool", "arguments"}, true},
    {EventType::kToolOutput, "tool_output", {"text"}, false},
    {EventType::kToolFinished,
     "tool_finished",
     {"turn", "call", "tool", "ok", "observation", "duration_ms"},
     true},
    {EventType::kWorkspaceChanged, "workspace_changed", {"changes", "workspace_sha256"}, true},
    {EventType::kValidationStarted, "validation_started", {"targets"}, true},
    {EventType::kValidationFinished,
     "validation_finished",
     {"verdict", "targets", "failures", "duration_ms"},
     true},
    {EventType::kGateRejected, "gate_rejected", {"reason", "remaining"}, true},
    {EventType::kGateAccepted, "gate_accepted", {"outcome", "workspace_sha256"}, true},
    {EventType::kBudgetWarning, "budget_warning", {"percent", "used", "limit"}, true},
    {EventType::kRepetitionWarning, "repetition_warning", {"tool", "times"}, true},
    {EventType::kContextCompacted,
     "context_compacted",
     {"turn", "first_kept", "left_out", "record"},
     true},
    {EventType::kObservation, "observation", {"text"}, true},
    {EventType::kAgentStarted,
     "agent_started",
     {"agent", "profile", "task", "system_prompt", "user_prompt"},
     true},
    {EventType::kAgentFinished, "agent_finished", {"agent", "ok", "text"}, true},
    {EventType::kEditsStarted, "edits_started", {"files", "workspace_sha256"}, true},
    {EventType::kEditsFinished, "edits_finished", {"ok", "text"}, true},
    {EventType::kProgramStarted,
     "program_started",
     {"attempt", "command", "workspace_sha256"},
     true},
    {EventType::kProgramFinished,
     "program_finished",
     {"attempt", "ok", "exit_code", "text", "duration_ms"},
     true},
    {EventType::kRunResumed, "run_resumed", {"turns", "workspace_changed"}, true},
    {EventType::kStoryStarted, "story_started", {"story", "steps"}, true},
    {EventType::kStepStarted, "step_started", {"step", "name"}, true},
    {EventType::kStepFinished, "step_finished", {"step", "name", "outcome"}, true},
    {EventType::kStoryFinished, "story_finished", {"outcome"}, true},
    {EventType::kWorkflowStarted, "workflow_started", {"workflow", "steps"}, true},
    {EventType::kWorkflowStepStarted,
     "workflow_step_started",
     {"scope", "step", "kind", "iteration", "run"},
     true},
    {EventType::kWorkflowStepFinished,
     "workflow_step_finished",
     {"scope", "step", "iteration", "run", "input_sha256", "verdict", "output", "duration_ms"},
     true},
    {EventType::kWorkflowStepSkipped,
     "workflow_step_skipped",
     {"scope", "step", "iteration", "reason"},
     true},
    {EventType::kWorkflowJumped, "workflow_jumped", {"scope", "from", "to", "iteration"}, true},
    {EventType::kWorkflowFinished, "workflow_finished", {"outcome", "runs"}, true},
    {EventType::kRoundStart, "round_start", {"round", "role"}, true},
    {EventType::kRoundComplete,
     "round_complete",
     {"round", "role", "issuesRaised", "issuesResolved", "duration_ms"},
     true},
    {EventType::kIssueRaised, "issue_raised", {"issueId", "severity", "summary"}, true},
    {EventType::kIssueResolved, "issue_resolved", {"issueId", "verdict", "reason"}, true},
    {EventType::kConvergenceCheck,
     "convergence_check",
     {"round", "isConverged", "reason", "unresolvedIssues"},
     true},
    {EventType::kError, "error", {"error"}, true},
    {EventType::kComplete, "complete", {"status", "totalRounds", "issues"}, true},
    {EventType::kLog, "log", {"level", "text"}, true},
    {EventType::kRunFinished,
     "run_finished",
     {"outcome", "reason", "exit_code", "answer", "changed", "certificate", "usage", "turns",
      "failures", "duration_ms"},
     true},
};

const EventRow& RowOf(EventType type) {
  const EventRow& row = kRows[static_cast<size_t>(type)];
  STILE_CHECK(row.type == type);
  return row;
}

// Names of fields in journals that have no schema_version, and what they are called now.
struct OldField {
  EventType type;
  const char* old_name;
  const char* name;
};

constexpr OldField kOldFields[] = {
    {EventType::kToolStarted, "root", "workspace_sha256"},
    {EventType::kToolFinished, "root", "workspace_sha256"},
    {EventType::kWorkspaceChanged, "root", "workspace_sha256"},
    {EventType::kGateAccepted, "root", "workspace_sha256"},
    {EventType::kWorkflowStepStarted, "wave", "iteration"},
    {EventType::kWorkflowStepFinished, "wave", "iteration"},
    {EventType::kWorkflowStepFinished, "ms", "duration_ms"},
    {EventType::kWorkflowStepSkipped, "wave", "iteration"},
    {EventType::kWorkflowJumped, "wave", "iteration"},
};

void RenameOldFields(EventType type, Json* data) {
  for (const OldField& field : kOldFields) {
    if (field.type != type || !data->contains(field.old_name)) continue;
    if (!data->contains(field.name)) (*data)[field.name] = std::move((*data)[field.old_name]);
    data->erase(field.old_name);
  }
}

}  // namespace

const std::vector<EmbeddedFile>& EventSchemaFiles();

absl::string_view EventSchema() { return EventSchemaFiles().at(0).text; }

absl::string_view EventTypeName(EventType type) { return RowOf(type).name; }
absl::Span<const char* const> RequiredEventFields(EventType type) {
  const EventRow& row = RowOf(type);
  return {row.fields.begin(), row.fields.size()};
}
bool IsJournaled(EventType type) { return RowOf(type).journaled; }

const std::vector<EventType>& AllEventTypes() {
  static const auto* types = [] {
    auto* all = new std::vector<EventType>;
    for (const EventRow& row : kRows) all->push_back(row.type);
    return all;
  }();
  return *types;
}

Json ToJson(const Event& event) {
  Json json = event.data.is_object() ? event.data : Json::object();
  json["type"] = std::string(EventTypeName(event.type));
  json["seq"] = event.seq;
  json["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", event.time, absl::UTCTimeZone());
  json["run_id"] = event.run_id;
  return json;
}

absl::StatusOr<Event> EventFromJson(const Json& json) {
  const auto name = JsonString(json, "type");
  const auto seq = JsonInt(json, "seq");
  const auto time = JsonString(json, "time");
  const auto run_id = JsonString(json, "run_id");
  if (!name || !seq || !time || !run_id) {
    return absl::InvalidArgumentError("not an event: type, seq, time or run_id is missing");
  }
  Event event;
  const EventRow* row = nullptr;
  for (const EventRow& candidate : kRows) {
    if (*name == candidate.name) row = &candidate;
  }
  if (row == nullptr) return absl::InvalidArgumentError(absl::StrCat("unknown event ", *name));
  event.type = row->type;
  event.seq = static_cast<uint64_t>(*seq);
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, *time, &event.time, &error)) {
    return absl::InvalidArgumentError(absl::StrCat("event with bad time: ", error));
  }
  event.run_id = *run_id;
  event.data = json;
  for (const char* key : {"type", "seq", "time", "run_id"}) event.data.erase(key);
  RenameOldFields(event.type, &event.data);
  for (const char* field : row->fields) {
    if (!event.data.contains(field)) {
      return absl::InvalidArgumentError(absl::StrCat("event ", *name, " lacks ", field));
    }
  }
  return event;
}

EventStream::EventStream(std::string run_id, Clock* clock, uint64_t first_seq,
                         const SecretMasker* secrets)
    : run_id_(std::move(run_id)), clock_(clock), secrets_(secrets), next_seq_(first_seq) {}

void EventStream::AddSink(EventSink sink) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sinks_.push_back(std::move(sink));
}

void EventStream::Emit(EventType type, Json data) {
  if (type == EventType::kRunStarted) data["schema_version"] = kEventSchemaVersion;
  if (secrets_ != nullptr) secrets_->MaskFields(&data);
  const std::lock_guard<std::mutex> lock(mutex_);
  Event event{type, next_seq_++, clock_->Now(), run_id_, std::move(data)};
  for (const char* field : RequiredEventFields(type)) {
    STILE_CHECK(event.data.contains(field));
  }
  for (const EventSink& sink : sinks_) {
    // Sinks can be code of others. The run and the other sinks go on.
    try {
      sink(event);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
}

}  // namespace stile
