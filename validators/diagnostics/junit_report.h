#ifndef STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_
#define STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// One test case of a JUnit XML report.
struct JunitCase {
  enum class Outcome { kPassed, kFailed, kSkipped };
  Outcome outcome = Outcome::kPassed;
  std::string class_name;
  std::string name;
  std::string file;     // as reported; "" if not
  int line = 0;         // as reported (pytest counts from 0)
  std::string message;  // first fault: its `message`
  std::string details;  // its text
  std::string output;   // of the test, where the report has it (system-out)
};

// Reads the test cases of a report. InvalidArgument for text that has no <testsuite>, or ends
// inside one.
absl::StatusOr<std::vector<JunitCase>> ParseJunitReport(absl::string_view xml);

// Adds the cases by "class.name".
void AddNamedTests(const std::vector<JunitCase>& cases, NamedTests* tests);

// How many of the cases passed, failed and were skipped. Calls `failed` with each that failed.
TestCounts CountCases(const std::vector<JunitCase>& cases,
                      const std::function<void(const JunitCase&)>& failed);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_
