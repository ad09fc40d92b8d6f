// Remembers which edits of expected values stood in the files when tests failed. An edit that came
// later answers a failure by moving the goal; one that was there before is a test written first.
#ifndef STILE_RUNTIME_GATE_RED_TESTS_H_
#define STILE_RUNTIME_GATE_RED_TESTS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/validation/old_suite.h"
#include "runtime/validation/target_map.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Pure computation. Not thread-safe.
class RedTests {
 public:
  // Tests of the target, whose project has this root, failed. `edits`: what the detector found in
  // the files that failed; only Weight::kExpectation counts.
  void RecordFailure(const TargetKey& target, const std::string& root,
                     const std::vector<Weakening>& edits);
  // The texts of all changed files when tests of the project at `root` failed. Of very many moments
  // the last are kept as the reference.
  void RecordTexts(const std::string& root, TextsByPath texts);
  // Those of projects that hold `root` or lie in it.
  std::vector<TextsByPath> TextsAtFailures(const std::string& root) const;
  size_t moments() const { return moments_.size(); }
  // Makes edits of expected values grave that came after a failure of tests of their project, and
  // leaves out the others.
  std::vector<Weakening> Judge(std::vector<Weakening> weakenings) const;

 private:
  using Edits = std::set<std::pair<std::string, std::string>>;  // path, what
  struct Failure {
    std::string root;
    Edits edits;  // that stood in the files at every failure of the target
  };
  std::map<TargetKey, Failure> failures_;
  std::vector<std::pair<std::string, TextsByPath>> moments_;  // root, texts; each once
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_RED_TESTS_H_
