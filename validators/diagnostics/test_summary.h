// What a test runner's output says, whichever runner it was.
#ifndef STILE_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_H_
#define STILE_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_H_

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/validation/validator.h"

namespace stile {

struct TestSummary {
  bool found = false;  // whether the output is a result of tests at all, be it of none
  // Where a runner does not count what passed (Go's packages, a gate's own output), each thing that
  // it reports as passed counts as one. Numbers beyond an int become the largest.
  TestCounts counts;
  int errors = 0;  // what kept tests from running: collection errors, suites that do not build
  bool complete = true;  // false: the run says itself that it was cut short, claims failure without
                         // counting one, or gives counts that cannot be

  // A green result: found, complete, nothing failed, no errors, and at least one test passed.
  bool ready() const;
  // Failed tests and errors; -1 where nothing was found.
  int failures() const;
  // Adds what another run says.
  void Add(const TestSummary& other);
};

// `output`: what a step gave: text of a runner, or JSON (an object or array, or text that holds
// JSON). Never fails: what is no result of tests is not found. Linear in the size of `output`.
//
// Only forms of known runners count, on lines of their own; several in one output are added up.
// JSON is a result where it counts failures (or accounts for every test of a total) and has proof
// that tests ran. A failing exit status, status word or flag beside the counts, and lines such as
// "BUILD FAILURE", make the result incomplete. Records of a log (a level and a message as JSON) are
// none of it.
TestSummary SummarizeTests(const Json& output);

// The two halves of it. `depth` is how many texts and containers lie around the value.
TestSummary SummarizeTestText(absl::string_view text, int depth = 0);
TestSummary SummarizeTestJson(const Json& value, int depth = 0);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_H_
