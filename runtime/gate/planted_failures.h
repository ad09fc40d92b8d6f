// Failing statements that are planted at the ends of tests, and what a run of such tests proves: a
// test that passes with one reports a success that it has not made.
#ifndef STILE_RUNTIME_GATE_PLANTED_FAILURES_H_
#define STILE_RUNTIME_GATE_PLANTED_FAILURES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/validation/target_map.h"
#include "runtime/validation/weakening.h"

namespace stile {

// One run of the tests of a target on a copy with such files.
struct PlantedRun {
  std::map<std::string, PlantedFile> files;  // by path; those that could be built
  std::set<std::string> left_out;            // tests of files that could not
  std::optional<ValidationResult> result;    // none: there is nothing to plant, or `why`
  std::string why;                           // why the run says nothing

  // The file that holds the planted test; "" if there is none.
  std::string PathOf(const NamedTest& test) const;
  bool HasPassed() const;  // also where only a repeated run passed
};

// Owns nothing; all outlive the call.
struct PlantedQuestion {
  const Target* target = nullptr;
  const Snapshot* content = nullptr;
  BaselineContent* source = nullptr;  // of `content`
  const WeakeningDetector* weakening = nullptr;
};

// Runs the tests on the content with plants. Where it cannot be built, once or twice again without
// the plants of the files that the compiler names. An error is a cancellation.
absl::StatusOr<PlantedRun> RunPlanted(const ScratchContext& context,
                                      const PlantedQuestion& question);

// Tests of a run without plants that pass with them, tests that no plant is known for included.
std::vector<std::string> PassedWithPlants(const NamedTests& plain, const PlantedRun& planted);

// The content that the run found: what its tests did there, without plants and with them.
struct PlantedReference {
  const NamedTests* plain = nullptr;
  bool has_passed = false;  // without plants
  const PlantedRun* planted = nullptr;
};

struct UnfailingTests {
  std::vector<std::string> names;
  bool any = false;  // without names: the tests as a whole
};

// What the run is to blame for. A test that failed with a plant in the reference has to fail with
// one now. A test that was not there, or did not pass, is judged only where no test failed at all:
// that one test outlives a plant can have an honest reason, as an exception that it expects.
// `reference` may be null: there were no tests.
UnfailingTests JudgePlanted(const NamedTests& plain, const PlantedRun& planted,
                            const PlantedReference* reference);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_PLANTED_FAILURES_H_
