#include "runtime/validation/run_through.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/validation/run_marks.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RunMarksTest, AreFoundInWordsAndNotInCodeThatPutsThemTogether) {
  const std::string mark = RunMark(0xabcdef);
  EXPECT_EQ(mark, "ran0000000000abcdef");
  EXPECT_THAT(RunMarksIn(absl::StrCat("panic: ", mark, "\n", RunMark(7), "x")),
              ElementsAre("ran0000000000000007", mark));
  const auto [first, second] = HalvesOfMark(mark);
  EXPECT_EQ(first + second, mark);
  EXPECT_THAT(RunMarksIn(absl::StrCat("raise E(\"", first, "\" \"", second, "\")")), IsEmpty());
  EXPECT_THAT(RunMarksIn("ran 3 tests, transport, ran000000000000000"), IsEmpty());
  EXPECT_THAT(RunMarksIn("ran0000000000ABCDEF"), IsEmpty());
}

TEST(RunMarksTest, StayWithTheTestWhoseWordsHoldThem) {
  NamedTests tests;
  AddNamedTest("a", TestOutcome::kFailed, &tests, "", "failed: " + RunMark(1));
  AddNamedTest("a", TestOutcome::kPassed, &tests, "", RunMark(2));
  AddNamedTest("b", TestOutcome::kFailed, &tests, "", "failed");
  EXPECT_THAT(tests["a"].marks, ElementsAre(RunMark(1), RunMark(2)));
  EXPECT_THAT(tests["b"].marks, IsEmpty());
}

class RunThroughTest : public testing::Test {
 protected:
  RunThroughTest() {
    price.path = name.path = "shop.go";
    price.name = "Price";
    price.line = 3;
    price.last_line = 5;
    name.name = "Name";
    name.line = 7;
    name.last_line = 9;
  }
  static NamedTest Test(TestOutcome outcome, std::set<std::string> marks = {}) {
    return {outcome, "", std::move(marks)};
  }

  ChangedFunction price, name;
  const std::string price_mark = RunMark(1);
  const std::string name_mark = RunMark(2);
  const MarkedFunctions marked = {{price_mark, &price}, {name_mark, &name}};
};

TEST_F(RunThroughTest, EditsAreMadeOnceAndHoldTheHalves) {
  const std::string text = "func Price {}\nfunc Name {}\n";
  const MarkEdit head{0, 0, "var n\n"};
  price.edits = {head, {12, 12, "$1+$2"}};
  name.edits = {head, {19, 23, "'$1' '$2'"}};
  const auto [p1, p2] = HalvesOfMark(price_mark);
  const auto [n1, n2] = HalvesOfMark(name_mark);
  EXPECT_EQ(WithMarks("shop.go", text, marked),
            absl::StrCat("var n\nfunc Price {", p1, "+", p2, "}\nfunc '", n1, "' '", n2, "' {}\n"));
  EXPECT_EQ(WithMarks("other.go", text, marked), text);
  name.edits = {{5, 400, "beyond"}};
  price.edits = {};
  EXPECT_EQ(WithMarks("shop.go", text, marked), text);
}

TEST_F(RunThroughTest, ARedTestThatReportsAMarkRunsThroughTheFunction) {
  const NamedTests now = {{"TestName", Test(TestOutcome::kFailed)},
                          {"TestPrice", Test(TestOutcome::kFailed)},
                          {"TestGreen", Test(TestOutcome::kPassed)}};
  const NamedTests in_copy = {{"TestName", Test(TestOutcome::kFailed)},
                              {"TestPrice", Test(TestOutcome::kFailed, {price_mark})},
                              {"TestGreen", Test(TestOutcome::kFailed, {name_mark})}};
  const RunThrough judged = JudgeRunThrough(now, in_copy, marked);
  ASSERT_EQ(judged.reached.size(), 1u);
  EXPECT_EQ(judged.reached[0].test, "TestPrice");
  EXPECT_EQ(judged.reached[0].function, &price);
  EXPECT_THAT(judged.lost, IsEmpty());
}

TEST_F(RunThroughTest, ARedTestThatExpectsAThrowTurnsGreen) {
  const NamedTests now = {{"throws", Test(TestOutcome::kFailed)}};
  const RunThrough judged = JudgeRunThrough(now, {{"throws", Test(TestOutcome::kPassed)}}, marked);
  ASSERT_EQ(judged.reached.size(), 1u);
  EXPECT_EQ(judged.reached[0].function, nullptr);
}

TEST_F(RunThroughTest, MarksOfOthersAreNoEvidence) {
  const NamedTests now = {{"TestPrice", Test(TestOutcome::kFailed)}};
  const NamedTests in_copy = {{"TestPrice", Test(TestOutcome::kFailed, {RunMark(3)})}};
  EXPECT_THAT(JudgeRunThrough(now, in_copy, marked).reached, IsEmpty());
}

TEST_F(RunThroughTest, LostTestsAreNamedWithWhatIsInTheWay) {
  const NamedTests now = {{"TestPrice", Test(TestOutcome::kFailed)}};
  EXPECT_THAT(JudgeRunThrough(now, {}, marked).lost, ElementsAre("TestPrice"));
  ValidationResult result;
  EXPECT_THAT(FunctionsInTheWay(result, marked), IsEmpty());
  result.diagnostics.push_back({Severity::kError, "shop.go", 8, 1, "", "no constant"});
  result.diagnostics.push_back({Severity::kWarning, "shop.go", 4, 1, "", "unreachable"});
  EXPECT_THAT(FunctionsInTheWay(result, marked), ElementsAre(&name));
  result.named_tests["shop.test.js"] = Test(TestOutcome::kFailed, {price_mark});
  EXPECT_THAT(FunctionsInTheWay(result, marked), ElementsAre(&price, &name));
}

}  // namespace
}  // namespace stile
