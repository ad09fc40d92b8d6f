// The seam between the gate and whoever knows how code and settings make a judge look away.
#ifndef STILE_RUNTIME_VALIDATION_WEAKENING_H_
#define STILE_RUNTIME_VALIDATION_WEAKENING_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/old_suite.h"

namespace stile {

// A changed file with its content at the reference and now; nullopt: absent then.
struct ContentPair {
  std::string path;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// Something that lets less be found out than before.
struct Weakening {
  // kMinor: one place in the code (an ignore comment, a pragma). Told in the certificate.
  // kGrave: a whole file, a setting, a test. Keeps the gate shut under gate.weakening: reject.
  // kExpectation: a value that a test expects. Usual work, and grave where it was edited after the
  // test was seen to fail (red_tests.h); otherwise not told.
  enum class Weight { kMinor, kGrave, kExpectation } weight = Weight::kMinor;
  std::string path;
  int line = 0;      // 1-based, in the new content; 0 for none
  std::string what;  // "'# mypy: ignore-errors' keeps the file from being checked"
  // What it is, by a name that does not change: "assertion-removed".
  std::string rule = {};
};

// The files of a workspace as they are now, changed or not.
class WorkspaceFiles {
 public:
  virtual ~WorkspaceFiles() = default;
  // Regular files, sorted.
  virtual std::vector<std::string> Paths() const = 0;
  // NotFound if there is none of that path.
  virtual absl::StatusOr<std::string> Read(const std::string& path) const = 0;
};

// A file of tests in which every test fails that would end well, and every test ends well that
// expects a failure.
struct PlantedFile {
  std::string text;
  std::set<std::string> tests;  // that do so, by their last name in the source
  bool is_program = false;      // it fails as a whole: a `main`, a script of assertions
};

// Tests that changed files held before and hold no longer.
struct TestsTakenOut {
  int count = 0;                // fewer than before, each case of a table counted
  std::set<std::string> names;  // that no test has any more, as NamedTest::function
};

class WeakeningDetector {
 public:
  virtual ~WeakeningDetector() = default;
  // Whether changes of this file can weaken something though it is neither code nor part of a
  // build: scripts that run tests, settings that are loaded before a program.
  virtual bool Reads(const std::string& path) const = 0;
  // What the changes, taken together, weaken: code that moved from one file to another weakens
  // nothing. Sorted by path and line. `files` tells what stands beside the changes: what they
  // shadow, and the macros that they call; what cannot be read there counts as absent. Thread-safe.
  virtual std::vector<Weakening> Compare(const std::vector<ContentPair>& changes,
                                         const WorkspaceFiles& files) const = 0;
  // Whether these may go is for Compare to say: a run of tests may count fewer by as many as these.
  virtual TestsTakenOut FindTestsTakenOut(const std::vector<ContentPair>& changes) const = 0;
  // The tests that were found, for a run on the present code. `changes`: of all files.
  // `at_failures`: the texts at every moment when tests failed; an expected value that changed
  // after one of them keeps its old form. Thread-safe.
  virtual OldSuite FindOldSuite(const std::vector<ContentPair>& changes,
                                const std::vector<TextsByPath>& at_failures,
                                const WorkspaceFiles& files) const = 0;
  // The text of a file without the test or helper at a line (1-based), the other lines where they
  // were; nullopt if none stands there.
  virtual std::optional<OldSuite::Cut> WithoutTestAt(const std::string& path,
                                                     const std::string& text, int line) const = 0;
  // Whether the path may be of a file with tests: PlantFailures tells.
  virtual bool HoldsTests(const std::string& path) const = 0;
  // The file with a failing statement at the end of each of its tests; nullopt if none is known for
  // it. Thread-safe.
  virtual std::optional<PlantedFile> PlantFailures(const std::string& path,
                                                   const std::string& text) const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_WEAKENING_H_
