// Every event of every part, in one closed list. Events are what doors show, what `--json` prints
// and what the journal keeps; replaying a journal gives the same state. events.schema.json
// describes the fields of each type.
#ifndef STILE_RUNTIME_EVENT_EVENT_H_
#define STILE_RUNTIME_EVENT_EVENT_H_

#include <concepts>
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
  // {task, workspace, model, …, untrusted?}: everything needed to resume, by the kind of the run
  kRunStarted,
  // Of a session: loop_events.h has a struct for each.
  kTurnStarted,
  kModelRequest,
  kModelDelta,  // not journaled
  kModelNotice,
  kModelResponse,
  kToolStarted,
  kToolOutput,  // not journaled
  kToolFinished,
  kWorkspaceChanged,
  kValidationStarted,
  kValidationFinished,
  kGateRejected,
  kGateAccepted,
  kBudgetWarning,
  kRepetitionWarning,
  kContextCompacted,
  kObservation,
  kAgentStarted,
  kAgentFinished,
  kEditsStarted,
  kEditsFinished,
  kProgramStarted,
  kProgramFinished,
  // {turns, workspace_changed, after?: reason of the end after which it goes on, limits?, fresh?:
  //  numbers of calls that are not continued}
  kRunResumed,
  // Of stories, workflows and verifications: flow_events.h has a struct for each, except those
  // marked as results.
  kStoryStarted,
  kStepStarted,
  kStepFinished,  // a result: a RunResult and {step, name, step_run_id, attempts, unmet}
  kStoryFinished,
  kWorkflowStarted,
  kWorkflowStepStarted,
  kWorkflowStepFinished,  // a result: a StepRecord
  kWorkflowStepSkipped,
  kWorkflowJumped,
  kWorkflowFinished,
  kRoundStart,
  kRoundComplete,
  kIssueRaised,
  kIssueResolved,
  kConvergenceCheck,
  kError,
  kComplete,     // the result of a verification: {status, totalRounds, issues, …}
  kLog,          // loop_events.h
  kRunFinished,  // a RunResult; exactly one, last
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

// A struct that holds the fields of one type: see loop_events.h and flow_events.h.
template <typename T>
concept EventRecord = std::same_as<decltype(T::kEventType), const EventType>;

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
  template <EventRecord T>
  void Emit(const T& record) {
    Emit(T::kEventType, FieldsOf(record));  // event_fields.h
  }
  // Events of other streams, and those whose fields are a result or the beginning of a run.
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
