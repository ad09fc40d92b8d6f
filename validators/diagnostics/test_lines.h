// The words of test runners for people, line by line.
#ifndef STILE_VALIDATORS_DIAGNOSTICS_TEST_LINES_H_
#define STILE_VALIDATORS_DIAGNOSTICS_TEST_LINES_H_

#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "validators/diagnostics/test_numbers.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {

// Reads an output line by line. A runner is recognised by whole lines of its own, never by a word
// somewhere. What says that something failed, or that the run was cut short, makes the result
// incomplete even where the numbers do not show it.
// One thing: the state of one pass over an output; a later line ends what an earlier one began.
class TestLines {
 public:
  // Without its line end and without colours.
  void Read(absl::string_view line);
  // After the last line.
  TestSummary Result();

 private:
  // Each says whether the line is one of its own.
  bool ReadKnownForm(absl::string_view line);
  bool ReadUnittest(absl::string_view line);
  bool ReadSuites(absl::string_view line);  // jest, vitest
  bool ReadGo(absl::string_view line);
  bool ReadVstest(absl::string_view line);
  bool ReadMaven(absl::string_view line);
  bool ReadGradle(absl::string_view line);
  bool ReadCtest(absl::string_view line);
  bool ReadTap(absl::string_view line);

  TestSummary GoResult() const;
  TestSummary TapResult() const;
  void Add(const TestNumbers& numbers) { summary_.Add(numbers.Summary()); }
  // It is cut short if it begins again, or the output ends, before it ends.
  void Begin(const std::string& runner) {
    if (!begun_.insert(runner).second) summary_.complete = false;
  }

  TestSummary summary_;
  bool claims_failure_ = false;
  std::set<std::string> begun_;
  std::string unittest_total_;  // "" outside of its last lines
  int failed_suites_ = 0;       // until the tests are counted
  bool in_vstest_ = false;
  TestSummary maven_, maven_classes_;
  int gradle_passed_ = 0;
  bool gradle_succeeded_ = false;
  TestSummary ctest_;
  int ctest_skipped_ = 0;
  TestSummary go_;
  int go_packages_ = 0;
  bool go_package_failed_ = false;  // in a test; until the line of the package
  TestSummary points_, footers_;    // of TAP, and the counts that node and others write below
  bool has_footers_ = false;
  int points_seen_ = 0;
  std::optional<int> points_planned_;
  bool is_tap_ = false;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_TEST_LINES_H_
