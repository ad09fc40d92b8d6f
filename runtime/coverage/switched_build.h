// Code that the build of a project leaves out, compiled all the same: in a copy of the workspace
// in which the condition that it stands under holds.
#ifndef STILE_RUNTIME_COVERAGE_SWITCHED_BUILD_H_
#define STILE_RUNTIME_COVERAGE_SWITCHED_BUILD_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/validation/conditional_code.h"
#include "runtime/validation/target_map.h"

namespace stile {

// The content of one moment.
struct Content {
  const Snapshot* files = nullptr;
  BaselineContent* source = nullptr;
};

// Not thread-safe. Remembers what it found for the same content. Errors are cancellations and
// failures of our own.
class SwitchedBuild {
 public:
  enum class Verdict {
    kPasses,
    kFails,    // an error that the old content does not have under the same switches
    kUnknown,  // it could not be compiled here, or older errors are in the way
  };
  struct Answer {
    Verdict verdict = Verdict::kUnknown;
    std::string words;  // the error with its place, or what stood in the way; UTF-8
    std::string file;   // of the error
    int line = 0;
    // All errors are those of the old content under the same switches, and no header is missing.
    bool is_as_before = false;
  };
  struct Question {
    const Target* target = nullptr;
    Content now;
    std::string fingerprint;         // of the content now
    const Target* before = nullptr;  // as the run found it; null for a new one
    Content old;
  };

  // `finder` outlives this object.
  SwitchedBuild(ScratchContext context, const ConditionFinder* finder);

  // What the judge says of all of the target with the switches set.
  absl::StatusOr<Answer> Ask(const Question& question, const BuildSwitches& switches);
  // The same of content with other texts for some paths, as it comes.
  absl::StatusOr<ValidationResult> Run(const Target& target, const Content& content,
                                       const BuildSwitches& switches,
                                       std::map<std::string, std::string> texts);

  // How many validations of copies were run so far.
  int experiments() const { return experiments_; }

 private:
  absl::StatusOr<ValidationResult> RunOnce(const std::string& key, const Target& target,
                                           const Content& content, const BuildSwitches& switches);

  const ScratchContext context_;
  const ConditionFinder* const finder_;
  int experiments_ = 0;
  std::map<std::string, ValidationResult> known_;  // by content and switches
};

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_SWITCHED_BUILD_H_
