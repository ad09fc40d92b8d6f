// Runs the tests that a run found on the code that it leaves.
#ifndef STILE_RUNTIME_GATE_OLD_SUITE_RUN_H_
#define STILE_RUNTIME_GATE_OLD_SUITE_RUN_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/validation/old_suite.h"
#include "runtime/validation/target_map.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Owns nothing; all outlive the call.
struct OldSuiteQuestion {
  const Target* target = nullptr;  // as it is now
  const OldSuite* suite = nullptr;
  const Snapshot* present = nullptr;
  const Snapshot* found = nullptr;  // where the old files of the suite were
  // What the tests did on the content that was found. Without names the count decides; it may be 0
  // where the runner reports none.
  const NamedTests* before = nullptr;
  int count_before = 0;
  const WeakeningDetector* weakening = nullptr;
};

// An old test that passed and fails on the present code, or does not run there.
struct BrokenTest {
  std::string name;             // as the runner has it; "" where it names none
  std::set<std::string> paths;  // files that held a test of the name; empty: not known
  bool is_gone = false;         // the present tests have none of the name
  bool runs = true;
};

struct OldSuiteAnswer {
  std::vector<BrokenTest> broken;
  // Old tests that cannot be run on the present code, each with the reason.
  std::set<std::string> unrun;
  bool is_told = true;  // false: no copy with old tests ran
};

// Up to some runs on copies, in which less and less is put back until the tests can be built. An
// error is a cancellation.
absl::StatusOr<OldSuiteAnswer> RunOldSuite(const ScratchContext& context,
                                           const OldSuiteQuestion& question);

// What one run says of the tests that passed before.
struct OldTestOutcomes {
  std::vector<std::string> failed;  // by the runner's names
  std::vector<std::string> lost;    // names of the source of which no test ran
};
OldTestOutcomes CompareOutcomes(const NamedTests& before, const NamedTests& in_copy);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_OLD_SUITE_RUN_H_
