// Whether what passed was looked at. A pass says nothing of a file that the build does not contain,
// that a setting excludes, or that older errors keep the compiler from reading.
#ifndef STILE_RUNTIME_COVERAGE_COVERAGE_H_
#define STILE_RUNTIME_COVERAGE_COVERAGE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/compiler_arguments.h"
#include "runtime/coverage/conditional_coverage.h"
#include "runtime/coverage/observation.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/validation/target_map.h"

namespace stile {

// A target that has passed, and what is known of that pass.
struct CoverageQuestion {
  const Target* target = nullptr;
  const Target* before = nullptr;  // at the reference; null for a new one
  // Files that the pass read, where the judge can tell.
  std::optional<std::vector<std::string>> listed;
  // Those of the changed files below that a compiler opened in the workspace with their present
  // content. nullopt when opens are not observed.
  std::optional<std::set<std::string>> compiled;
  // Those that compilers opened of which none ended with success.
  std::set<std::string> failed;
  std::map<std::string, CompilerWays> ways;  // how compilers were called that passed `compiled`
  std::string command;                       // ValidationResult::command of the pass
  bool excused_errors = false;               // it passed because no error was new
  bool distrusts_listings = false;           // gate.coverage: canary
  bool build_files_changed = false;          // inputs that are no code differ from the reference
  std::set<std::string> changed;  // its code files that differ from the reference and still exist
};

struct CoverageGap {
  TargetKey target;
  std::string path;
  std::string why;  // "… is not part of the build", for the model
  // A planted error was reported, by a compiler that was called otherwise than in the workspace.
  bool is_compiled_otherwise = false;
};

// How the changed code of a target was shown to be covered, for the certificate.
struct CoverageEvidence {
  std::string by;                     // "listing", "canary", "none"
  std::vector<std::string> reported;  // files in which a planted error was reported
  std::vector<std::string> alone;     // files that no build knows, judged by themselves
  // "src/lib.rs: --features fast": files with code that was compiled under switches in copies.
  std::set<std::string> switched;
};

// Proofs, in this order: the judge names the file among those it read; or it reports a semantic
// error that was planted in the file in a copy of the workspace (a canary: where it names none,
// where build files changed, where older errors are excused); or, for a file that was no part of
// the build before the run either, it passes in a copy in which the conditions hold that keep it
// out, or a judge of single files passes it on its own. Within a file that
// is covered, changed code under a condition must be looked at, too (conditional_coverage.h). Not
// thread-safe.
// Remembers what it found for the same content.
//
// Where opens are observed, a compiler must also have opened the changed file and ended with
// success, called as in the copy in which a planted error was reported: a repository can make a
// list, or the build of a copy, say what the build of the workspace does not do.
class CoverageJudge {
 public:
  // `reference` and `old_content` tell what the run found. All outlive this object; `conditions`
  // may be null.
  CoverageJudge(ScratchContext context, const LanguageRegistry* languages,
                const ValidatorRegistry* validators, const ConditionFinder* conditions,
                const Snapshot* reference, BaselineContent* old_content);

  // The gaps over the union of the targets, on the content of `now`. Runs validators on copies;
  // errors are cancellations and failures of our own.
  absl::StatusOr<std::vector<CoverageGap>> Judge(const std::vector<CoverageQuestion>& questions,
                                                 const Snapshot& now);

  // Of the last judgement; by target.
  const std::map<TargetKey, CoverageEvidence>& evidence() const { return evidence_; }
  // How many validations of copies were run so far.
  int experiments() const { return experiments_ + conditional_.experiments(); }

 private:
  using Files = std::set<std::string>;

  absl::StatusOr<std::vector<CoverageGap>> JudgeGroup(
      const std::vector<CoverageQuestion>& questions, const Snapshot& now);
  // Why, by file.
  struct Gaps {
    std::map<std::string, std::string> why;
    Files otherwise;  // CoverageGap::is_compiled_otherwise
  };
  struct OpenFiles;
  absl::StatusOr<Gaps> GapsOf(const CoverageQuestion& question, const Files& covered,
                              const Snapshot& now);
  absl::StatusOr<Files> Uncovered(const CoverageQuestion& question, const Files& covered,
                                  const Snapshot& now);
  absl::Status TakeReported(const CoverageQuestion& question, const Snapshot& now, OpenFiles* files,
                            Gaps* found);
  absl::Status FindBuiltThen(const CoverageQuestion& question, OpenFiles* files);
  absl::StatusOr<std::string> GapOf(const CoverageQuestion& question, const OpenFiles& files,
                                    const std::string& path, const Snapshot& now);
  bool CanPlant(const Target& target, const std::string& path) const;
  // By file: how compilers were called in the copies in which they reported an error planted there.
  struct TrialWays {
    std::map<std::string, CompilerWays> of;
    Files unobserved;
  };
  struct Trial {
    bool only_at_end = false;
    const BuildSwitches* switches = nullptr;  // may be null
    TrialWays* ways = nullptr;                // null: not asked for
  };
  absl::StatusOr<Files> Reported(const Target& target, const Content& content, const Files& files,
                                 const Trial& trial);
  std::string OtherWay(const CoverageQuestion& question, const std::string& path,
                       const TrialWays& trial) const;
  absl::StatusOr<Files> PerhapsDropped(const CoverageQuestion& question, const Files& covered,
                                       const Snapshot& now);
  absl::StatusOr<Files> ListedBefore(const Target& before);
  absl::StatusOr<std::map<std::string, std::string>> ConditionalGaps(
      const CoverageQuestion& question, const Snapshot& now);
  // Null where there is none.
  const Validator* SingleFileJudge(const std::string& path) const;
  Project AloneProject(const std::string& path) const;
  absl::StatusOr<std::optional<std::string>> JudgeUnderCondition(const CoverageQuestion& question,
                                                                 const std::string& path,
                                                                 const Snapshot& now);
  absl::StatusOr<std::string> JudgeAlone(const std::string& path, const Snapshot& now);
  absl::StatusOr<ValidationResult> RunCopy(const Validator& validator, const Project& project,
                                           const Snapshot& content, BaselineContent* source,
                                           TrialObservation* observation = nullptr);

  const ScratchContext context_;
  const LanguageRegistry* const languages_;
  const ValidatorRegistry* const validators_;
  const Snapshot* const reference_;
  BaselineContent* const old_content_;
  ConditionalCoverage conditional_;
  int experiments_ = 0;
  std::map<TargetKey, CoverageEvidence> evidence_;
  // By a fingerprint of everything that the answer depends on.
  struct Answer {
    Gaps gaps;
    std::vector<std::string> reported;
    std::vector<std::string> alone;
    std::set<std::string> switched;
  };
  std::map<std::string, Answer> known_;
  std::map<TargetKey, Files> listed_before_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_COVERAGE_H_
