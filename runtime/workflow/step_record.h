// One run of one step, as journals keep it. A workflow that was killed goes on by doing everything
// again but the steps whose records it finds.
#ifndef STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_
#define STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_

#include <cstdint>
#include <map>
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

// The records of an earlier process, by scope, step and run. Immutable.
class StepRecords {
 public:
  StepRecords() = default;
  // DataLoss when an event is no record.
  static absl::StatusOr<StepRecords> FromEvents(const std::vector<Event>& events);
  // Null where that run did not come to its end.
  const StepRecord* Find(const std::string& scope, const std::string& step, int run) const;
  size_t size() const { return records_.size(); }
  // The hash of the nested workflow with which that run began; "" where it did not.
  const std::string& WorkflowOf(const StepRecord& run) const;

 private:
  struct Key {
    std::string scope;
    std::string step;
    int run;
    bool operator<(const Key& other) const {
      return std::tie(scope, step, run) < std::tie(other.scope, other.step, other.run);
    }
  };
  std::map<Key, StepRecord> records_;
  std::map<Key, std::string> workflows_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_STEP_RECORD_H_
