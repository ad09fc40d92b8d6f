#include "runtime/validation/named_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NamedTestsTest, FindsTheFunctionInANameOfARunner) {
  EXPECT_EQ(FunctionOfTest("test_price.test_a[3-x.y]"), "test_a");
  EXPECT_EQ(FunctionOfTest("shop::tests::adds"), "adds");
  EXPECT_EQ(FunctionOfTest("Shop.PriceTest.Of(count: 3)"), "Of");
  EXPECT_EQ(FunctionOfTest("src/lib.rs - price (line 3)"), "price");
  EXPECT_EQ(FunctionOfTest("cart.test.ts > cart > adds two"), "adds two");
  EXPECT_EQ(FunctionOfTest("Sizes/Suite.Name/0"), "Name");
  EXPECT_EQ(FunctionOfTest("adds two numbers"), "adds two numbers");
  EXPECT_EQ(FunctionOfTest("of(int)[1]"), "of");
  EXPECT_EQ(FunctionOfTest(""), "");
}

TEST(NamedTestsTest, TakesTheEndOfANameForTheName) {
  for (const char* wanted : {"shop::tests::adds", "tests::adds", "adds"}) {
    EXPECT_TRUE(IsTestNamed("shop::tests::adds", wanted)) << wanted;
  }
  EXPECT_TRUE(IsTestNamed("test_price.test_a[3]", "test_a"));
  EXPECT_TRUE(IsTestNamed("test_price.test_a[3]", "test_a[3]"));
  EXPECT_FALSE(IsTestNamed("test_price.test_a[3]", "test_a[4]"));
  EXPECT_FALSE(IsTestNamed("shop::tests::overadds", "adds"));
  EXPECT_FALSE(IsTestNamed("adds", ""));
  EXPECT_FALSE(IsTestNamed("adds", "shop::adds"));
}

TEST(NamedTestsTest, KeepsTheWorseOutcomeOfOneName) {
  NamedTests tests;
  AddNamedTest("a", TestOutcome::kFailed, &tests);
  AddNamedTest("a", TestOutcome::kPassed, &tests);
  AddNamedTest("b", TestOutcome::kSkipped, &tests);
  AddNamedTest("b", TestOutcome::kPassed, &tests, "other");
  AddNamedTest("", TestOutcome::kPassed, &tests);
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_EQ(tests["a"].outcome, TestOutcome::kFailed);
  EXPECT_EQ(tests["b"].outcome, TestOutcome::kPassed);
}

class TestsNoLongerRunTest : public testing::Test {
 protected:
  TestsNoLongerRunTest() {
    AddNamedTest("m.test_a[1]", TestOutcome::kPassed, &before);
    AddNamedTest("m.test_a[2]", TestOutcome::kPassed, &before);
    AddNamedTest("m.test_b", TestOutcome::kFailed, &before);
    AddNamedTest("m.test_c", TestOutcome::kSkipped, &before);
  }
  std::vector<std::string> Lost() {
    return TestsNoLongerRun(before, now,
                            [this](const std::string& name) { return gone.count(name) == 0; });
  }
  NamedTests before, now;
  std::set<std::string> gone;
};

TEST_F(TestsNoLongerRunTest, NamesThoseThatAreStillInTheSource) {
  AddNamedTest("m.test_a[1]", TestOutcome::kPassed, &now);
  EXPECT_THAT(Lost(), ElementsAre("test_b"));
  gone.insert("test_b");
  EXPECT_THAT(Lost(), IsEmpty());
}

TEST_F(TestsNoLongerRunTest, ASkippedTestDoesNotRun) {
  AddNamedTest("m.test_a[1]", TestOutcome::kSkipped, &now);
  AddNamedTest("m.test_b", TestOutcome::kFailed, &now);
  EXPECT_THAT(Lost(), ElementsAre("test_a"));
}

TEST_F(TestsNoLongerRunTest, ATestThatMovedStillRuns) {
  AddNamedTest("other.test_a", TestOutcome::kPassed, &now);
  AddNamedTest("other.test_b", TestOutcome::kPassed, &now);
  EXPECT_THAT(Lost(), IsEmpty());
}

TEST_F(TestsNoLongerRunTest, WithoutNamesCountsDecide) { EXPECT_THAT(Lost(), IsEmpty()); }

}  // namespace
}  // namespace stile
