#include "runtime/gate/red_tests.h"

#include "gtest/gtest.h"

namespace stile {
namespace {

using Weight = Weakening::Weight;

Weakening Edit(const std::string& path, const std::string& what) {
  return {Weight::kExpectation, path, 3, what};
}

TEST(RedTestsTest, AnEditWithoutAFailureIsUsualWork) {
  RedTests red;
  EXPECT_TRUE(red.Judge({Edit("a/test_a.py", "2 is 3")}).empty());
  red.RecordFailure("b|pytest", "b", {});
  EXPECT_TRUE(red.Judge({Edit("a/test_a.py", "2 is 3")}).empty()) << "another project";
}

TEST(RedTestsTest, AnEditAfterAFailureIsGrave) {
  RedTests red;
  red.RecordFailure("a|pytest", "a", {});
  const std::vector<Weakening> judged = red.Judge({Edit("a/test_a.py", "2 is 3")});
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].weight, Weight::kGrave);
}

TEST(RedTestsTest, AnEditThatWasThereWhenTheTestFailedIsATestWrittenFirst) {
  RedTests red;
  red.RecordFailure("a|pytest", "a", {Edit("a/test_a.py", "2 is 3")});
  EXPECT_TRUE(red.Judge({Edit("a/test_a.py", "2 is 3")}).empty());
  EXPECT_EQ(red.Judge({Edit("a/test_a.py", "2 is 3"), Edit("a/test_a.py", "4 is 5")}).size(), 1u);
  red.RecordFailure("a|pytest", "a", {Edit("a/test_a.py", "4 is 5")});
  EXPECT_EQ(red.Judge({Edit("a/test_a.py", "2 is 3")}).size(), 1u)
      << "it was made, taken back, and made again after another failure";
}

TEST(RedTestsTest, OtherWeakeningsStayAsTheyAre) {
  const RedTests red;
  const std::vector<Weakening> judged =
      red.Judge({{Weight::kMinor, "a.py", 1, "minor"}, {Weight::kGrave, "a.py", 1, "grave"}});
  ASSERT_EQ(judged.size(), 2u);
  EXPECT_EQ(judged[0].weight, Weight::kMinor);
  EXPECT_EQ(judged[1].weight, Weight::kGrave);
}

TEST(RedTestsTest, TextsAtFailuresAreThoseOfTheProjectAndWhatHoldsIt) {
  RedTests red;
  red.RecordTexts("a", {{"a/t.py", "1"}});
  red.RecordTexts("a", {{"a/t.py", "1"}});
  red.RecordTexts("b", {{"b/t.py", "2"}});
  EXPECT_EQ(red.moments(), 2u);
  ASSERT_EQ(red.TextsAtFailures("a").size(), 1u);
  EXPECT_EQ(red.TextsAtFailures("a")[0].at("a/t.py"), "1");
  EXPECT_EQ(red.TextsAtFailures(".").size(), 2u);
}

TEST(RedTestsTest, OfVeryManyFailuresTheLastCountAsTheReference) {
  RedTests red;
  for (int i = 0; i < 100; ++i) red.RecordTexts("a", {{"a/t.py", std::to_string(i)}});
  EXPECT_LT(red.moments(), 100u);
  EXPECT_TRUE(red.TextsAtFailures("a").back().empty());
}

}  // namespace
}  // namespace stile
