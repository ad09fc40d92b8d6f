#ifndef STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_
#define STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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
};

// Reads the test cases of a report. InvalidArgument for text that has no <testsuite>, or ends
// inside one.
absl::StatusOr<std::vector<JunitCase>> ParseJunitReport(absl::string_view xml);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_JUNIT_REPORT_H_
