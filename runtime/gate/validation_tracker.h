// The gate's memory: which content of which target has been seen to pass. Pure computation over
// content hashes; knows no files, no compilers, no clock.
#ifndef STILE_RUNTIME_GATE_VALIDATION_TRACKER_H_
#define STILE_RUNTIME_GATE_VALIDATION_TRACKER_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/target_map.h"

namespace stile {

// A target is clean when its inputs are exactly what last passed, or exactly what the run found
// (its reference); else it is dirty, whoever changed it and in whatever way. A verdict against a
// target refuses it until it passes: its inputs are what is thought to be read, the verdict is what
// was seen.
class ValidationTracker {
 public:
  explicit ValidationTracker(int max_failures) : max_failures_(max_failures) {}

  // Content that needs no validation: what the run found at its start, with inherited changes taken
  // back. A target without a reference is new: all of its inputs are changes.
  void SetReference(const TargetKey& target, ContentMap inputs);
  // Null: the target is new. Valid until the next call that is not const.
  const ContentMap* ReferenceOf(const TargetKey& target) const;

  // `inputs` have passed. The previous pass is forgotten.
  void RecordPass(const TargetKey& target, ContentMap inputs);
  // The last validation of this target did not pass: an earlier pass, even of the same content, no
  // longer counts. Fail, timeout, infra_error and flaky_pass refuse the target; after the other
  // verdicts, which judge nothing, an earlier refusal stays.
  void RecordNoPass(const TargetKey& target, Verdict verdict);
  // The newest verdict against each target that has not passed since.
  std::map<TargetKey, Verdict> Refusals() const;
  std::optional<Verdict> RefusalOf(const TargetKey& target) const;
  // Whether exactly `inputs` are what last passed.
  bool HasPassed(const TargetKey& target, const ContentMap& inputs) const;

  // After every validation: whether it ended in fail or timeout, and whether anything is dirty now.
  void RecordValidation(bool failed, bool anything_dirty);

  // Paths that keep the target dirty, sorted: differences from the last pass, or from the reference
  // if it never passed. Empty: clean.
  std::vector<std::string> Dirty(const TargetKey& target, const ContentMap& inputs) const;

  int failures() const { return failures_; }
  // Validations of the whole run that ended in fail or timeout.
  int failed_validations() const { return failed_validations_; }
  bool exhausted() const { return failures_ >= max_failures_; }
  // For resume.
  void set_failures(int failures, int failed_validations) {
    failures_ = failures;
    failed_validations_ = failed_validations;
  }

 private:
  struct Record {
    std::optional<ContentMap> reference;
    std::optional<ContentMap> passed;
    std::optional<Verdict> refusal;
  };
  // A target of which nothing is known has an empty record.
  const Record& RecordOf(const TargetKey& target) const;

  int max_failures_;
  int failures_ = 0;
  int failed_validations_ = 0;
  std::map<TargetKey, Record> records_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_VALIDATION_TRACKER_H_
