#ifndef STILE_RUNTIME_COVERAGE_CONDITIONAL_COVERAGE_H_
#define STILE_RUNTIME_COVERAGE_CONDITIONAL_COVERAGE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/coverage/switched_build.h"
#include "runtime/validation/conditional_code.h"
#include "runtime/validation/target_map.h"

namespace stile {

struct CoverageQuestion;

// Whether changed code that stands under a condition is compiled: an error is planted below each
// such condition, and what is not reported is not looked at by the build. It is compiled in a copy
// in which the condition holds then (switched_build.h), and passes or not. Where that cannot be
// done here, changed code is refused. The same code under the same conditions asks nothing, unless
// it uses a name whose declaration changed. Not thread-safe. Remembers what it found for the same
// content.
class ConditionalCoverage {
 public:
  struct Finding {
    std::map<std::string, std::string> gaps;  // path → why it keeps the gate shut
    // "src/lib.rs: --features fast": files with code that was compiled under switches.
    std::set<std::string> compiled;
  };

  // `finder` may be null: nothing is conditional then. All outlive this object.
  ConditionalCoverage(ScratchContext context, const ConditionFinder* finder,
                      const Snapshot* reference, BaselineContent* old_content);

  // Changed files are asked about where they changed; all files of the target where build files
  // did.
  absl::StatusOr<Finding> Gaps(const CoverageQuestion& question, const Snapshot& now);
  // A few sets of switches under which a file may be compiled that the build leaves out: those of
  // the conditions that other files of the target name it under.
  absl::StatusOr<std::vector<BuildSwitches>> WaysInto(const Target& target, const Snapshot& now,
                                                      const std::string& path);
  // What the judge says of all of the target under the switches.
  absl::StatusOr<SwitchedBuild::Answer> AskUnder(const CoverageQuestion& question,
                                                 const Snapshot& now,
                                                 const BuildSwitches& switches);
  SwitchedBuild* switched() { return &switched_; }
  // How many validations of copies were run so far.
  int experiments() const { return experiments_ + switched_.experiments(); }

 private:
  using Regions = std::map<std::string, std::vector<ConditionalRegion>>;  // by path
  using Texts = std::map<std::string, std::string>;                       // by path

  // Names of declarations that changed, and whether the name is gone.
  using ChangedNames = std::map<std::string, bool>;

  absl::StatusOr<Regions> RegionsToAsk(const CoverageQuestion& question, const Snapshot& now,
                                       std::string* too_many);
  absl::StatusOr<ChangedNames> FindChangedNames(const CoverageQuestion& question,
                                                const Snapshot& now);
  absl::StatusOr<bool> IsDeclared(const CoverageQuestion& question, const Snapshot& now,
                                  const std::string& name);
  absl::StatusOr<std::string> TextTakenIn(const Target& target, const Snapshot& now,
                                          const ConditionalRegion& region, absl::string_view text);
  absl::Status AddRegionsThatUse(const ChangedNames& names, const CoverageQuestion& question,
                                 const Snapshot& now, Regions* regions);
  // `switches` may be null.
  absl::StatusOr<Regions> Silent(const Target& target, const Snapshot& content,
                                 BaselineContent* source, Regions regions,
                                 const BuildSwitches* switches = nullptr);
  absl::StatusOr<Regions> RegionsBefore(const CoverageQuestion& question, const Snapshot& now,
                                        const Regions& silent, Texts* texts_before);
  absl::StatusOr<Finding> Explain(const CoverageQuestion& question, const Snapshot& now,
                                  const Regions& asked, const Regions& silent);

  // One of the regions that the build does not look at, and what became of it.
  struct Silenced {
    std::string path;
    ConditionalRegion region;
    std::vector<BuildSwitches> ways;
    size_t own_ways = 0;   // how many of them it asks for itself
    size_t asked = 0;      // how many of them have been tried
    BuildSwitches passed;  // the first way under which it compiles
    bool was_off = false;  // its condition left code out before, in the same file
    bool lost = false;     // it took in lines that were looked at
    bool same = false;     // the run found it as it is, in this file
    bool moved = false;    // the run found it as it is, in another one
    // A name that its code uses, if the declaration changed though the region did not.
    std::string uses;
    bool uses_gone = false;
    SwitchedBuild::Answer answer;
    std::string tried;  // switches
  };
  absl::Status Compile(const CoverageQuestion& question, const Snapshot& now,
                       std::vector<Silenced>* regions);
  absl::Status AddWaysIntoFiles(const CoverageQuestion& question, const Snapshot& now,
                                std::vector<Silenced>* regions);
  absl::Status CompileUnder(const CoverageQuestion& question, const Snapshot& now,
                            const BuildSwitches& switches, const std::vector<Silenced*>& group);
  absl::StatusOr<BuildSwitches> AllSwitches(const Target& target, const Snapshot& now);
  Finding Judged(const CoverageQuestion& question, const std::vector<Silenced>& regions,
                 const Regions& old) const;

  const ScratchContext context_;
  const ConditionFinder* const finder_;
  SwitchedBuild switched_;
  const Snapshot* const reference_;
  BaselineContent* const old_content_;
  int experiments_ = 0;
  std::map<std::string, Finding> known_;  // by fingerprint
  ChangedNames changed_names_;            // of the question that is answered
};

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_CONDITIONAL_COVERAGE_H_
