#ifndef STILE_RUNTIME_AGENT_LOOP_REPETITION_H_
#define STILE_RUNTIME_AGENT_LOOP_REPETITION_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// Notices a model that goes round in circles: the same call with the same result (durations
// aside) on the same workspace, again and again. A fix loop of validations is none, since the
// workspace differs each time.
class RepetitionDetector {
 public:
  static constexpr int kWarnAt = 3;
  static constexpr int kStopAt = 5;

  // How many equal calls in a row there have been now, this one included.
  int Record(absl::string_view tool, const Json& arguments, absl::string_view result,
             absl::string_view workspace_root_hash);

 private:
  std::string last_;
  int times_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_REPETITION_H_
