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
  bool journaled;
  const char* name;
  std::initializer_list<const char*> fields;
};

// In the order of EventType.
constexpr EventRow kRows[] = {
    {EventType::kRunStarted, true, "run_started", {"task", "workspace"}},
    {EventType::kTurnStarted, true, "turn_started", {"turn"}},
    {EventType::kModelRequest, true, "model_request", {"turn", "messages"}},
    {EventType::kModelDelta, false, "model_delta", {"text"}},
    {EventType::kModelNotice, true, "model_notice", {"kind", "text", "wait_ms"}},
    {EventType::kModelResponse, true, "model_response", {"turn", "reply"}},
    {EventType::kToolStarted, true, "tool_started", {"turn", "call", "tool", "arguments"}},
    {EventType::kToolOutput, false, "tool_output", {"text"}},
    {EventType::kToolFinished,
     true,
     "tool_finished",
     {"turn", "call", "tool", "ok", "observation", "duration_ms"}},
    {EventType::kWorkspaceChanged, true, "workspace_changed", {"changes", "workspace_sha256"}},
    {EventType::kValidationStarted, true, "validation_started", {"targets"}},
    {EventType::kValidationFinished,
     true,
     "validation_finished",
     {"verdict", "targets", "failures", "duration_ms"}},
    {EventType::kGateRejected, true, "gate_rejected", {"reason", "remaining"}},
    {EventType::kGateAccepted, true, "gate_accepted", {"outcome", "workspace_sha256"}},
    {EventType::kBudgetWarning, true, "budget_warning", {"percent", "used", "limit"}},
    {EventType::kRepetitionWarning, true, "repetition_warning", {"tool", "times"}},
    {EventType::kContextCompacted,
     true,
     "context_compacted",
     {"turn", "first_kept", "left_out", "record"}},
    {EventType::kObservation, true, "observation", {"text"}},
    {EventType::kAgentStarted,
     true,
     "agent_started",
     {"agent", "profile", "task", "system_prompt", "user_prompt"}},
    {EventType::kAgentFinished, true, "agent_finished", {"agent", "ok", "text"}},
    {EventType::kEditsStarted, true, "edits_started", {"files", "workspace_sha256"}},
    {EventType::kEditsFinished, true, "edits_finished", {"ok", "text"}},
    {EventType::kProgramStarted,
     true,
     "program_started",
     {"attempt", "command", "workspace_sha256"}},
    {EventType::kProgramFinished,
     true,
     "program_finished",
     {"attempt", "ok", "exit_code", "text", "duration_ms"}},
    {EventType::kRunResumed, true, "run_resumed", {"turns", "workspace_changed"}},
    {EventType::kStoryStarted, true, "story_started", {"story", "steps"}},
    {EventType::kStepStarted, true, "step_started", {"step", "name"}},
    {EventType::kStepFinished, true, "step_finished", {"step", "name", "outcome"}},
    {EventType::kStoryFinished, true, "story_finished", {"outcome"}},
    {EventType::kWorkflowStarted, true, "workflow_started", {"workflow", "steps"}},
    {EventType::kWorkflowStepStarted,
     true,
     "workflow_step_started",
     {"scope", "step", "kind", "iteration", "run"}},
    {EventType::kWorkflowStepFinished,
     true,
     "workflow_step_finished",
     {"scope", "step", "iteration", "run", "input_sha256", "verdict", "output", "duration_ms"}},
    {EventType::kWorkflowStepSkipped,
     true,
     "workflow_step_skipped",
     {"scope", "step", "iteration", "reason"}},
    {EventType::kWorkflowJumped, true, "workflow_jumped", {"scope", "from", "to", "iteration"}},
    {EventType::kWorkflowFinished, true, "workflow_finished", {"outcome", "runs"}},
    {EventType::kRoundStart, true, "round_start", {"round", "role"}},
    {EventType::kRoundComplete,
     true,
     "round_complete",
     {"round", "role", "issuesRaised", "issuesResolved", "duration_ms"}},
    {EventType::kIssueRaised, true, "issue_raised", {"issueId", "severity", "summary"}},
    {EventType::kIssueResolved, true, "issue_resolved", {"issueId", "verdict", "reason"}},
    {EventType::kConvergenceCheck,
     true,
     "convergence_check",
     {"round", "isConverged", "reason", "unresolvedIssues"}},
    {EventType::kError, true, "error", {"error"}},
    {EventType::kComplete, true, "complete", {"status", "totalRounds", "issues"}},
    {EventType::kLog, true, "log", {"level", "text"}},
    {EventType::kRunFinished,
     true,
     "run_finished",
     {"outcome", "reason", "exit_code", "answer", "changed", "certificate", "usage", "turns",
      "failures", "duration_ms"}},
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
