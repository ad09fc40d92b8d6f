// What happens in a session: turns, calls of tools, changes, validations, the gate. The sessions of
// stories, workflows and verifications have further types: flow_events.h.
#ifndef STILE_RUNTIME_EVENT_LOOP_EVENTS_H_
#define STILE_RUNTIME_EVENT_LOOP_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/event/event_fields.h"

namespace stile {

struct TurnStartedEvent {
  int turn = 0;
  STILE_EVENT_FIELDS(kTurnStarted, turn)
};

struct ModelRequestEvent {
  int turn = 0;
  size_t messages = 0;  // a count, not contents
  STILE_EVENT_FIELDS(kModelRequest, turn, messages)
};

struct ModelDeltaEvent {
  std::string text;
  STILE_EVENT_FIELDS(kModelDelta, text)
};

// See ModelNotice in chat_model.h.
struct ModelNoticeEvent {
  int turn = 0;
  std::string kind;
  std::string text;
  int64_t wait_ms = 0;
  // The reply begins anew, and the model_delta events of this turn do not count.
  bool discard_text = false;
  STILE_EVENT_FIELDS(kModelNotice, turn, kind, text, wait_ms, discard_text)
};

struct ModelResponseEvent {
  int turn = 0;
  Json reply;  // the whole of it
  STILE_EVENT_FIELDS(kModelResponse, turn, reply)
};

struct ToolStartedEvent {
  int turn = 0;
  int call = 0;
  std::string tool;
  Json arguments;
  std::string workspace_sha256;  // before it
  STILE_EVENT_FIELDS(kToolStarted, turn, call, tool, arguments, workspace_sha256)
};

// Live output.
struct ToolOutputEvent {
  int call = 0;
  std::string text;
  STILE_EVENT_FIELDS(kToolOutput, call, text)
};

struct ToolFinishedEvent {
  int turn = 0;
  int call = 0;
  std::string tool;
  bool ok = false;
  std::string observation;
  std::string workspace_sha256;  // after it
  int64_t duration_ms = 0;
  std::optional<Json> images;  // [{media_type, file}]
  STILE_EVENT_FIELDS(kToolFinished, turn, call, tool, ok, observation, workspace_sha256,
                     duration_ms, images)
};

struct WorkspaceChangedEvent {
  Json changes = Json::array();  // [{kind, path, sha256?}]: the content, if any
  std::string workspace_sha256;
  STILE_EVENT_FIELDS(kWorkspaceChanged, changes, workspace_sha256)
};

struct ValidationStartedEvent {
  Json targets = Json::array();  // [{validator, root, level}]
  STILE_EVENT_FIELDS(kValidationStarted, targets)
};

struct ValidationFinishedEvent {
  std::string verdict;
  Json targets = Json::array();  // with the verdict and diagnostics of each
  int failures = 0;              // in a row
  int infra_errors = 0;          // likewise
  Json outputs = Json::array();  // files that validators wrote, encoded
  int64_t duration_ms = 0;
  STILE_EVENT_FIELDS(kValidationFinished, verdict, targets, failures, infra_errors, outputs,
                     duration_ms)
};

struct GateRejectedEvent {
  std::string reason;  // as the model reads it
  std::vector<std::string> remaining;
  STILE_EVENT_FIELDS(kGateRejected, reason, remaining)
};

struct GateAcceptedEvent {
  std::string outcome;
  std::string workspace_sha256;
  std::vector<std::string> remaining;
  STILE_EVENT_FIELDS(kGateAccepted, outcome, workspace_sha256, remaining)
};

// Tokens.
struct BudgetWarningEvent {
  int percent = 0;
  int64_t used = 0;
  int64_t limit = 0;
  STILE_EVENT_FIELDS(kBudgetWarning, percent, used, limit)
};

struct RepetitionWarningEvent {
  std::string tool;
  int times = 0;
  STILE_EVENT_FIELDS(kRepetitionWarning, tool, times)
};

// See compaction.h.
struct ContextCompactedEvent {
  int turn = 0;
  size_t first_kept = 0;
  size_t left_out = 0;  // messages
  Json record;
  STILE_EVENT_FIELDS(kContextCompacted, turn, first_kept, left_out, record)
};

// A message to the model that answers no call.
struct ObservationEvent {
  std::string text;
  STILE_EVENT_FIELDS(kObservation, text)
};

// A sub-agent begins; its turns and calls, but not the gate's validations, have "agent": its id.
struct AgentStartedEvent {
  std::string agent;
  std::string profile;
  std::string task;
  std::string model;
  std::string system_prompt;
  std::string user_prompt;
  STILE_EVENT_FIELDS(kAgentStarted, agent, profile, task, model, system_prompt, user_prompt)
};

struct AgentFinishedEvent {
  std::string agent;
  bool ok = false;
  std::string text;  // what it said
  std::string reason;
  int turns = 0;
  STILE_EVENT_FIELDS(kAgentFinished, agent, ok, text, reason, turns)
};

// Edits without a model begin, all or none.
struct EditsStartedEvent {
  size_t files = 0;
  std::string workspace_sha256;
  STILE_EVENT_FIELDS(kEditsStarted, files, workspace_sha256)
};

struct EditsFinishedEvent {
  bool ok = false;
  std::string text;  // what was changed, or why nothing was
  STILE_EVENT_FIELDS(kEditsFinished, ok, text)
};

// A program under the gate begins; what changes until it ends counts as its work.
struct ProgramStartedEvent {
  int attempt = 0;
  std::string command;
  std::string workspace_sha256;
  STILE_EVENT_FIELDS(kProgramStarted, attempt, command, workspace_sha256)
};

struct ProgramFinishedEvent {
  int attempt = 0;
  bool ok = false;
  int exit_code = 0;
  std::string text;
  int64_t duration_ms = 0;
  STILE_EVENT_FIELDS(kProgramFinished, attempt, ok, exit_code, text, duration_ms)
};

struct LogEvent {
  std::string level = "info";           // or "debug", "warning", "error"
  Json text;                            // of a workflow's step `log`, any value
  std::optional<std::string> fallback;  // the tool that falls back to another answer
  std::optional<size_t> step;           // of a story; those of workflows have names
  STILE_EVENT_FIELDS(kLog, level, text, fallback, step)
};

inline LogEvent Warning(std::string text) { return {"warning", std::move(text), {}, {}}; }

}  // namespace stile

#endif  // STILE_RUNTIME_EVENT_LOOP_EVENTS_H_
