// Every event of every part, in one closed list. Events are what doors show, what `--json` prints
// and what the journal keeps; replaying a journal gives the same state. events.schema.json
// describes the fields of each type.
#ifndef STILE_RUNTIME_EVENT_EVENT_H_
#define STILE_RUNTIME_EVENT_EVENT_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/base/secret_masker.h"

namespace stile {

enum class EventType {
  kRunStarted,    // {task, workspace, model, …, untrusted?}: everything needed to resume
  kTurnStarted,   // {turn}
  kModelRequest,  // {turn, messages}: a count, not contents
  kModelDelta,    // {text}; not journaled
  // {turn, kind, text, wait_ms, discard_text}: see ModelNotice in chat_model.h. discard_text: the
  // reply begins anew, and the model_delta events of this turn do not count.
  kModelNotice,
  kModelResponse,     // {turn, reply}: the whole reply
  kToolStarted,       // {turn, call, tool, arguments, workspace_sha256}: of the workspace before it
  kToolOutput,        // {call, text}: live output; not journaled
  kToolFinished,      // {turn, call, tool, ok, observation, workspace_sha256, duration_ms}
  kWorkspaceChanged,  // {changes: [{kind, path, sha256?}], workspace_sha256}: the content, if any
  kValidationStarted,   // {targets: [{validator, root, level}]}
  kValidationFinished,  // {verdict, targets: […], failures, duration_ms}
  kGateRejected,        // {reason, remaining: […]}
  kGateAccepted,        // {outcome, workspace_sha256, remaining}
  kBudgetWarning,       // {percent, used, limit}
  kRepetitionWarning,   // {tool, times}
  kContextCompacted,    // {turn, first_kept, left_out: messages, record}, see compaction.h
  kObservation,         // {text}: a message to the model that answers no call
  kAgentStarted,        // {agent, profile, task, system_prompt, user_prompt, …}: a sub-agent; its
                        // turns and calls, but not the gate's validations, have "agent": its id
  kAgentFinished,       // {agent, ok, text, reason, turns}: what it said
  kEditsStarted,        // {files, workspace_sha256}: edits without a model begin, all or none
  kEditsFinished,       // {ok, text}: what was changed, or why nothing was
  kProgramStarted,      // {attempt, command, workspace_sha256}: a program under the gate begins;
                        // what changes until it ends counts as its work
  kProgramFinished,     // {attempt, ok, exit_code, text, duration_ms}
  kRunResumed,       // {turns, workspace_changed, after?: reason of the end after which it goes on,
                     //  limits?, fresh?: numbers of calls that are not gone on with}
  kStoryStarted,     // {story, branch, steps}
  kStepStarted,      // {step, name, run_id}
  kStepFinished,     // {step, name, outcome, reason, …}: as run_finished
  kStoryFinished,    // {outcome, reason, commit, branch}
  kWorkflowStarted,  // {workflow, steps, event}
  kWorkflowStepStarted,   // {scope, step, kind, iteration, run, number}: of steps that take time
  kWorkflowStepFinished,  // {scope, step, iteration, run, input_sha256, verdict, message, output,
                          //  ok, duration_ms, turns?, usage?, changed?}
  kWorkflowStepSkipped,   // {scope, step, iteration, reason, message}
  kWorkflowJumped,        // {scope, from, to, iteration, transitions}
  kWorkflowFinished,      // {outcome, reason, runs: {step: times}, outputs, report?,
                          //  failed: [{scope, step, run}]}
  // Of a verification (runtime/verify), which has a state besides: members named as there.
  kRoundStart,        // {round, role}
  kRoundComplete,     // {round, role, issuesRaised, issuesResolved, rejected, contextExpanded,
                      //  newFilesDiscovered, usage, duration_ms}: of issues, counts
  kIssueRaised,       // {issueId, severity, category, summary, location, raisedBy}
  kIssueResolved,     // {issueId, verdict, reason}
  kConvergenceCheck,  // {round, isConverged, reason, unresolvedIssues, criticalUnresolved}
  kError,             // {error}: why the verification ended early
  kComplete,          // the result: {status, totalRounds, issues, …}
  kLog,               // {level, text}
  kRunFinished,       // {outcome, reason, exit_code, answer, changed, certificate, usage, turns,
                      //  failures, duration_ms, final?, untrusted?}: exactly one, last
};

// "run_started", …
absl::string_view EventTypeName(EventType type);
const std::vector<EventType>& AllEventTypes();
// Fields of `data` that every event of the type has.
absl::Span<const char* const> RequiredEventFields(EventType type);
// Whether the journal keeps it (deltas and live output are only shown).
bool IsJournaled(EventType type);

struct Event {
  EventType type = EventType::kLog;
  uint64_t seq = 0;  // 1, 2, 3 … within one stream
  absl::Time time;
  std::string run_id;
  // The fields of the type; never "type", "seq", "time", "run_id". Of any type "masked": the
  // variables whose values are masked in it (SecretMasker).
  Json data = Json::object();
};

// The version of the fields, `schema_version` in run_started. Within a version fields are only
// added.
inline constexpr int kEventSchemaVersion = 1;
// The JSON Schema (draft 7) that every event fits.
absl::string_view EventSchema();

// One flat object: {"type", "seq", "time", "run_id", …data}.
Json ToJson(const Event& event);
// Also reads events of journals without a schema_version, whose fields had other names.
// InvalidArgument: not an event, or one that lacks a required field.
absl::StatusOr<Event> EventFromJson(const Json& json);

using EventSink = std::function<void(const Event&)>;

// Gives events their number and time, masks secrets in them, and passes them to every sink, in
// order: the journal and whoever shows events never get an unmasked value. Thread-safe; sinks are
// called one at a time and must not emit. An exception of a sink is ignored.
class EventStream {
 public:
  // `clock` and `secrets` not owned; `secrets` may be null. `first_seq`: where a resumed run goes
  // on.
  EventStream(std::string run_id, Clock* clock, uint64_t first_seq = 1,
              const SecretMasker* secrets = nullptr);
  void AddSink(EventSink sink);
  void Emit(EventType type, Json data);
  const std::string& run_id() const { return run_id_; }

 private:
  const std::string run_id_;
  Clock* const clock_;
  const SecretMasker* const secrets_;
  std::mutex mutex_;
  uint64_t next_seq_;
  std::vector<EventSink> sinks_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_EVENT_EVENT_H_
