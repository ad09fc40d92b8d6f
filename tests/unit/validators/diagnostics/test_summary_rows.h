// Rows of test output, and what is expected of them.
#ifndef STILE_TESTS_UNIT_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_ROWS_H_
#define STILE_TESTS_UNIT_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_ROWS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {

inline constexpr int kNotFound = -1;

inline std::string Told(const TestSummary& summary) {
  return absl::StrCat(summary.found ? "found" : "not found", ", ", summary.counts.passed,
                      " passed, ", summary.counts.failed, " failed, ", summary.counts.skipped,
                      " skipped, ", summary.errors, " errors",
                      summary.complete ? "" : ", not complete");
}

struct SummaryRow {
  std::string output;
  int passed = 0;
  int failures = 0;
  bool complete = true;
};

inline void ExpectGreen(const std::vector<SummaryRow>& cases) {
  for (const SummaryRow& each : cases) {
    const TestSummary summary = SummarizeTests(Json(each.output));
    EXPECT_TRUE(summary.ready()) << each.output << "\n" << Told(summary);
    EXPECT_EQ(summary.counts.passed, each.passed) << each.output;
    EXPECT_EQ(summary.failures(), 0) << each.output;
  }
}

inline void ExpectRed(const std::vector<SummaryRow>& cases) {
  for (const SummaryRow& each : cases) {
    const TestSummary summary = SummarizeTests(Json(each.output));
    EXPECT_FALSE(summary.ready()) << each.output << "\n" << Told(summary);
    EXPECT_EQ(summary.counts.passed, each.passed) << each.output << "\n" << Told(summary);
    EXPECT_EQ(summary.failures(), each.failures) << each.output << "\n" << Told(summary);
    EXPECT_EQ(summary.complete, each.complete) << each.output << "\n" << Told(summary);
  }
}

}  // namespace stile

#endif  // STILE_TESTS_UNIT_VALIDATORS_DIAGNOSTICS_TEST_SUMMARY_ROWS_H_
