#include "runtime/gate/old_suite_run.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NamedTests Tests(const std::vector<std::pair<std::string, TestOutcome>>& outcomes) {
  NamedTests tests;
  for (const auto& [name, outcome] : outcomes) AddNamedTest(name, outcome, &tests);
  return tests;
}

TEST(OldSuiteRunTest, ATestThatPassedAndFailsIsFound) {
  const OldTestOutcomes outcomes =
      CompareOutcomes(Tests({{"t::a", TestOutcome::kPassed}, {"t::b", TestOutcome::kFailed}}),
                      Tests({{"t::a", TestOutcome::kFailed}, {"t::b", TestOutcome::kFailed}}));
  EXPECT_THAT(outcomes.failed, ElementsAre("t::a"));
  EXPECT_THAT(outcomes.lost, IsEmpty());
}

TEST(OldSuiteRunTest, ATestThatDoesNotRunIsLostUnlessItsFunctionRuns) {
  const OldTestOutcomes outcomes =
      CompareOutcomes(Tests({{"t::a[1]", TestOutcome::kPassed},
                             {"t::b", TestOutcome::kPassed},
                             {"t::c", TestOutcome::kPassed},
                             {"/tmp/x/t.js", TestOutcome::kPassed}}),
                      Tests({{"t::a[2]", TestOutcome::kPassed}, {"t::c", TestOutcome::kSkipped}}));
  EXPECT_THAT(outcomes.failed, IsEmpty());
  EXPECT_THAT(outcomes.lost, ElementsAre("b", "c"));
}

}  // namespace
}  // namespace stile
