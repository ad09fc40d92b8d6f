#include "validators/test_runner/npm_test.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NpmTest : public testing::Test {
 protected:
  NpmTest() : fixture_(NewNpmTestValidator(), "javascript") {}
  void SetUp() override {
    if (!HasProgram("npm")) GTEST_SKIP() << "npm is not installed";
    fixture_.Write("package.json",
                   R"({"name": "t", "version": "1.0.0", "scripts": {"test": "node --test"}})");
    fixture_.Write("a.test.js", kGood);
  }
  static constexpr char kGood[] =
      "const test = require('node:test');\ntest('good', () => {});\ntest('skipped', {skip: true}, "
      "() "
      "=> {});\n";
  ValidationFixture fixture_;
};

TEST_F(NpmTest, FollowsTheCode) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  ASSERT_TRUE(result.tests.has_value()) << result.output;
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_EQ(result.tests->skipped, 1);

  fixture_.Write("a.test.js",
                 "const test = require('node:test');\ntest('bad', () => { throw new Error('boom'); "
                 "});\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.message, "1 of 1 test failed");
  EXPECT_THAT(result.output, HasSubstr("boom"));
  fixture_.Write("a.test.js", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_F(NpmTest, AMarkBelongsToTheTestThatReportsIt) {
  fixture_.Write("a.test.js",
                 "const test = require('node:test');\n"
                 "test('one', () => { throw new Error('ran' + '0000000000000001'); });\n"
                 "test('two', () => { throw new Error('boom'); });\n"
                 "test('three', () => { throw new Error('ran' + '0000000000000003'); });\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.named_tests.at("one").marks, ElementsAre("ran0000000000000001"));
  EXPECT_THAT(result.named_tests.at("two").marks, IsEmpty());
  EXPECT_THAT(result.named_tests.at("three").marks, ElementsAre("ran0000000000000003"));
}

TEST_F(NpmTest, AppliesOnlyWhereThereIsATestScript) {
  EXPECT_TRUE(fixture_.validator().Applies(fixture_.Look()));
  fixture_.Write("package.json",
                 R"({"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}})");
  EXPECT_FALSE(fixture_.validator().Applies(fixture_.Look()));
  fixture_.Write("package.json", "{");
  EXPECT_FALSE(fixture_.validator().Applies(fixture_.Look()));
}

TEST_F(NpmTest, MissingCommandIsNoFaultOfTheCode) {
  fixture_.Write("package.json", R"({"scripts": {"test": "no-such-test-runner"}})");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, HasSubstr("npm ci"));
}

TEST_F(NpmTest, TestThatPassesOnlyWhenRepeatedIsFlaky) {
  TempDir outside;
  fixture_.environment()["FLAG_FILE"] = outside.Path("flag");
  fixture_.Write("package.json",
                 R"({"scripts": {"test": "test -e $FLAG_FILE || { touch $FLAG_FILE; exit 1; }"}})");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFlakyPass);
}

TEST_F(NpmTest, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.Write("package.json", R"({"scripts": {"test": "sleep 3600"}})");
  fixture_.set_timeout(absl::Seconds(2));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram("npm", program.script);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << program.name;
  }
  fixture_.environment() = EmptyPathEnvironment();
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kNoValidator);
}

}  // namespace
}  // namespace stile
