#ifndef STILE_RUNTIME_GATE_CONDITIONAL_COVERAGE_H_
#define STILE_RUNTIME_GATE_CONDITIONAL_COVERAGE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/conditional_code.h"
#include "runtime/gate/scratch_validation.h"
#include "runtime/gate/target_map.h"

namespace stile {

struct CoverageQuestion;

// Whether changed code that stands under a condition is compiled: an error is planted below each
// such condition, and what is not reported is not looked at. What was not looked at before the run
// either is left alone: the same condition in the same file, unless it is a constant or took in
// lines that were looked at; or the same lines under it in a file that changed or is gone. Not
// thread-safe. Remembers what it found for the same content.
class ConditionalCoverage {
 public:
  // `finder` may be null: nothing is conditional then. All outlive this object.
  ConditionalCoverage(ScratchContext context, const ConditionFinder* finder,
                      const Snapshot* reference, BaselineContent* old_content);

  // Path → why it keeps the gate shut. Changed files are asked about where they changed; all files
  // of the target where build files did.
  absl::StatusOr<std::map<std::string, std::string>> Gaps(const CoverageQuestion& question,
                                                          const Snapshot& now);
  // How many validations of copies were run so far.
  int experiments() const { return experiments_; }

 private:
  using Regions = std::map<std::string, std::vector<ConditionalRegion>>;  // by path
  using Texts = std::map<std::string, std::string>;                       // by path

  absl::StatusOr<Regions> RegionsToAsk(const CoverageQuestion& question, const Snapshot& now,
                                       std::string* too_many);
  absl::StatusOr<Regions> Silent(const Target& target, const Snapshot& content,
                                 BaselineContent* source, Regions regions);
  absl::StatusOr<Regions> RegionsBefore(const CoverageQuestion& question, const Snapshot& now,
                                        const Regions& silent, const Texts& texts_now,
                                        Texts* texts_before);
  absl::StatusOr<std::map<std::string, std::string>> Explain(const CoverageQuestion& question,
                                                             const Snapshot& now,
                                                             const Regions& asked,
                                                             const Regions& silent);

  const ScratchContext context_;
  const ConditionFinder* const finder_;
  const Snapshot* const reference_;
  BaselineContent* const old_content_;
  int experiments_ = 0;
  std::map<std::string, std::map<std::string, std::string>> known_;  // by fingerprint
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_CONDITIONAL_COVERAGE_H_
