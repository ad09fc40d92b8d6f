// One run of one step, as journals keep it. A workflow that was stopped goes on by doing everything
// again but the steps whose records it finds.
#ifndef STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_
#define STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/json.h"
#include "runtime/event/event.h"
#include "runtime/workflow/scope.h"
#include "runtime/workflow/step_executor.h"

namespace stile {

struct StepRecord {
  std::string scope;  // Scope::name, behind those of the workflows around it; "" : the root
  std::string step;
  int wave = 1;
  int run = 1;               // of this step in scopes of this name
  std::string input_sha256;  // of settings, env and input, as they were filled in
  StepVerdict verdict = StepVerdict::kPassed;
  std::string message;
  StepReply reply;
  absl::Duration duration;
};

// The data of workflow_step_finished.
Json ToJson(const StepRecord& record);

// One run of one step, by the members of StepRecord that name it.
struct StepRunKey {
  std::string scope;
  std::string step;
  int run = 1;
  bool operator<(const StepRunKey& other) const {
    return std::tie(scope, step, run) < std::tie(other.scope, other.step, other.run);
  }
};

Json ToJson(const StepRunKey& key);

// The records of earlier processes, by scope, step and run.
//
// Where a process came to an end without success (run_finished) and another one goes on, the steps
// that failed at the end (workflow_finished: failed) go on or are done again, and whatever began
// after the first of them had ended is done again: it may have depended on the failure.
class StepRecords {
 public:
  StepRecords() = default;
  // DataLoss when an event is no record.
  static absl::StatusOr<StepRecords> FromEvents(const std::vector<Event>& events);
  // Null where that run did not come to its end.
  const StepRecord* Find(const std::string& scope, const std::string& step, int run) const;
  size_t size() const { return records_.size(); }
  // StepCall::number with which that run began; "" where it did not, or in journals of older
  // versions.
  std::string NumberOf(const StepRecord& run) const;
  // Whether a call of that number was made, for this or any other run of a step.
  bool IsUsed(const std::string& number) const { return used_.count(number) > 0; }

  // Goes on after an end, see above. To be called when the last event is run_finished.
  // FailedPrecondition when an older version wrote the journal: calls have no numbers there.
  absl::Status Reopen();
  // Numbers of the calls that began and have no record: they go on.
  std::set<std::string> OpenCalls() const;
  // The call is not gone on with; its step is called anew under another number.
  void Abandon(const std::string& number);
  // Turns of the model that dropped calls took: of all of them, and of those of one step.
  int DroppedTurns() const;
  int DroppedTurnsOf(const std::string& step) const;

  // The hash of the nested workflow with which that run began; "" where it did not.
  const std::string& WorkflowOf(const StepRecord& run) const;

 private:
  using Key = StepRunKey;
  absl::Status Add(const Event& event, size_t position);
  void Drop(const Key& key);

  std::map<Key, StepRecord> records_;
  std::map<Key, std::string> workflows_;
  std::map<Key, std::string> numbers_;
  std::map<Key, size_t> began_;  // positions of events
  std::map<Key, size_t> ended_;
  std::set<std::string> used_;
  std::vector<Key> failed_;  // at the last end
  bool is_ended_ = false;
  std::map<std::string, int> open_turns_;     // of calls that go on, by number
  std::map<std::string, int> dropped_turns_;  // by step
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_
