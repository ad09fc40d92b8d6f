#include "validators/compiler/javac.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

constexpr char kSaysVersion[] = "test \"$1\" = --version && echo javac 17 && exit\n";

class Javac : public testing::Test {
 protected:
  Javac() : fixture_(NewJavacValidator(), "java") {}
  void SetUp() override {
    if (!HasProgram("javac")) GTEST_SKIP() << "javac is not installed";
    fixture_.Write("src/a/Main.java",
                   "package a;\npublic class Main { static int f() { return Util.g(); } }\n");
    fixture_.Write("src/a/Util.java", "package a;\nclass Util { static int g() { return 1; } }\n");
  }
  ValidationFixture fixture_;
};

TEST_F(Javac, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(*result.files_read, testing::ElementsAre("src/a/Main.java", "src/a/Util.java"));

  fixture_.Write("src/a/Util.java",
                 "package a;\nclass Util { static int g() {\n\tString é = \"x\"; return é; } }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1) << Describe(result);
  EXPECT_EQ(FormatDiagnostic(result.diagnostics[0]),
            "src/a/Util.java:3:26: error: incompatible types: String cannot be converted to int");

  fixture_.Remove("src/a/Util.java");
  result = fixture_.Validate();  // its class of the first run is no excuse
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "src/a/Main.java");

  fixture_.Write("src/a/Util.java", "package a;\nclass Util { static int g() { return 1; } }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(fixture_.Validate(true).verdict, Verdict::kPass);
}

TEST_F(Javac, JudgesLooseProgramsWhoseClassesClashEachByItself) {
  fixture_.Write("one/Main.java", "class Main { int f() { return 1; } }\n");
  fixture_.Write("two/Main.java", "class Main { int f() { return 1; } }\n");
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  fixture_.Write("two/Main.java", "class Main { int f() { return \"\"; } }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "two/Main.java");
}

TEST_F(Javac, TakesNamesThatNeedQuotes) {
  fixture_.Write("my src/b \"c\\d/B.java", "class B { }\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST_F(Javac, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_EQ(result.message, "apt install default-jdk-headless");
}

TEST_F(Javac, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram("javac", absl::StrCat(kSaysVersion, program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  for (const char* script : {"echo 'error: nonsense'", "echo 'error: invalid flag: -x'; exit 2"}) {
    fixture_.FakeProgram("javac", absl::StrCat(kSaysVersion, script));
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << script;
  }
  fixture_.FakeProgram("javac", "true");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

TEST_F(Javac, TimesOut) {
  fixture_.FakeProgram("javac", "test \"$1\" = --version && echo javac 17 || exec sleep 100");
  fixture_.set_timeout(absl::Milliseconds(300));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

}  // namespace
}  // namespace stile
