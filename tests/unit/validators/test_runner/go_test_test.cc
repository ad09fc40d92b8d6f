#include "validators/test_runner/go_test.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GoTest : public testing::Test {
 protected:
  GoTest() : fixture_(NewGoTestValidator(), "go") {}
  void SetUp() override {
    if (!HasProgram("go")) GTEST_SKIP() << "go is not installed";
    fixture_.Write("go.mod", "module example.com/m\n\ngo 1.19\n");
    fixture_.Write("lib/l.go", "package lib\n\nfunc F(i int) int { return i }\n");
    fixture_.Write("lib/l_test.go", kGood);
  }
  static constexpr char kGood[] =
      "package lib\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F(1) != 1 "
      "{\n\t\tt.Fatal(\"boom\")\n\t}\n}\n";
  ValidationFixture fixture_;
};

TEST_F(GoTest, FollowsTheCode) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  ASSERT_TRUE(result.tests.has_value());
  EXPECT_EQ(result.tests->passed, 1);

  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i int) int { return i + 1 }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].file, "lib/l_test.go");
  EXPECT_EQ(result.diagnostics[0].line, 7);
  EXPECT_EQ(result.diagnostics[0].message, "TestF: boom");
  EXPECT_EQ(result.message, "1 of 1 test failed");

  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i int) int { return \"\" }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/l.go");

  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i int) int { return i }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_F(GoTest, AMarkBelongsToTheTestThatReportsIt) {
  fixture_.Write(
      "lib/l_test.go",
      "package lib\n\nimport \"testing\"\n\n"
      "func TestA(t *testing.T) { println(\"ran\" + \"0000000000000001\") }\n"
      "func TestB(t *testing.T) { t.Fatal(\"boom\") }\n"
      "func TestC(t *testing.T) { println(\"ran\" + \"0000000000000003\"); t.Fail() }\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  const NamedTests& tests = result.named_tests;
  EXPECT_THAT(tests.at("example.com/m/lib.TestA").marks, ElementsAre("ran0000000000000001"));
  EXPECT_THAT(tests.at("example.com/m/lib.TestB").marks, IsEmpty());
  EXPECT_THAT(tests.at("example.com/m/lib.TestC").marks, ElementsAre("ran0000000000000003"));
}

TEST_F(GoTest, PanicAndExitAreFailures) {
  fixture_.Write(
      "lib/l_test.go",
      "package lib\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { panic(\"x\") }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("lib/l_test.go",
                 "package lib\n\nimport (\"os\"; \"testing\")\n\nfunc TestMain(m *testing.M) { "
                 "os.Exit(3) }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(GoTest, TestThatPassesOnlyWhenRepeatedIsFlaky) {
  TempDir outside;
  fixture_.environment()["FLAG_FILE"] = outside.Path("flag");
  fixture_.Write(
      "lib/l_test.go",
      "package lib\n\nimport (\"os\"; \"testing\")\n\nfunc TestF(t *testing.T) {\n\tif _, "
      "err := os.Stat(os.Getenv(\"FLAG_FILE\")); err != nil "
      "{\n\t\tos.WriteFile(os.Getenv(\"FLAG_FILE\"), nil, "
      "0600)\n\t\tt.Fatal(\"first\")\n\t}\n}\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFlakyPass) << Describe(result);
}

TEST_F(GoTest, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"knows its version only", "echo go version go1.19 linux/amd64; exit 0\n"});
  for (const BrokenProgram& program : programs) {
    fixture_.FakeProgram("go", program.script);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << program.name;
  }
  fixture_.environment() = EmptyPathEnvironment();
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kNoValidator);
}

}  // namespace
}  // namespace stile
