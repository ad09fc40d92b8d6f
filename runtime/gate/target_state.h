// What the gate knows of one target besides its present inputs: how it was, its last pass, and
// answers that are asked for once.
#ifndef STILE_RUNTIME_GATE_TARGET_STATE_H_
#define STILE_RUNTIME_GATE_TARGET_STATE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/coverage/compiler_arguments.h"
#include "runtime/gate/planted_failures.h"
#include "runtime/gate/validator_state.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/validation/target_map.h"
#include "runtime/validation/validator.h"
#include "runtime/validation/weakening.h"

namespace stile {

// What the last pass is known to have read; see CoverageQuestion.
struct PassDetails {
  std::optional<std::vector<std::string>> files_read;
  bool excused_errors = false;
  std::optional<TestCounts> tests;
  NamedTests named_tests;
  bool observed = false;
};

struct TargetState {
  // As it was at the start of the run or, where it was not there, in the reference: a finish asks
  // what became of it. No value: the run made it.
  std::optional<Target> at_start;
  std::optional<Json> evidence;        // of the last pass of the run, resumed ones included
  std::optional<PassDetails> details;  // of the last pass that this process saw
  // What the last pass read besides the inputs: ignored files, for example.
  ReadSet read;
  // Files that a compiler opened in a passing validation, with their content at that time.
  ContentMap compiled;
  // How compilers were called that passed these files.
  std::map<std::string, CompilerWays> compiler_ways;
  // Those that compilers opened of which none ended with success; none of `compiled`.
  ContentMap failed;
  // What the last validation in earlier runs read.
  std::optional<ReadSet> read_before;
  // By all validations of the run: files that they wrote, and files that they read and no
  // validation wrote. Inputs are left out.
  std::set<std::string> written;
  std::set<std::string> found;
  std::string asked_cold;  // fingerprint of the files that no compiler had opened
  // Of the inputs for which it was asked cold because trial copies were compiled otherwise.
  std::string asked_alike;
  std::optional<Toolchain> toolchain;

  // An answer that may be "there is none".
  template <typename T>
  struct Answer {
    bool asked = false;
    std::optional<T> value;
  };
  // Errors of the baseline where it was broken; see gate_validation.cc.
  Answer<std::vector<Diagnostic>> baseline_errors;
  // Tests that ran at the reference; no value: the runner did not report any.
  struct ReferenceTests {
    int count = 0;
    NamedTests named;
  };
  Answer<ReferenceTests> tests_before;
  std::optional<Verdict> verdict_before;  // of the run that tests_before is from
  // Old tests that the changed code breaks, for the content of this fingerprint.
  struct OldSuiteResult {
    std::string content;
    std::vector<Weakening> broken;
    int asked = 0;  // times
  };
  OldSuiteResult old_suite;
  // Why tests that were red before keep the gate shut, for the inputs of this fingerprint.
  struct RedTestsAnswer {
    std::string content;
    std::optional<std::string> refusal;
    int asked = 0;  // times
  };
  RedTestsAnswer red_tests;
  // Tests that cannot fail, for the content of this fingerprint.
  struct PlantedAnswer {
    std::string content;
    std::vector<Weakening> unfailing;
    int asked = 0;  // times
  };
  PlantedAnswer planted;
  Answer<PlantedRun> planted_before;  // of the reference
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_TARGET_STATE_H_
