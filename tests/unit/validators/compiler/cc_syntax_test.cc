#include "validators/compiler/cc_syntax.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/syntax_jobs.h"

namespace stile {
namespace {

using testing::ElementsAre;

constexpr char kSaysVersion[] = "test \"$1\" = --version && echo 'g++ (x) 12.2' && exit\n";

class CcSyntax : public testing::Test {
 protected:
  CcSyntax() : fixture_(NewCcSyntaxValidator(), "cpp") {}
  void SetUp() override {
    if (!HasProgram("g++")) GTEST_SKIP() << "g++ is not installed";
    fixture_.Write("a.cc", "#include \"lib/util.h\"\nint main() { return util(); }\n");
    fixture_.Write("b.cc", "int b() { return 1; }\n");
    fixture_.Write("lib/util.h", "#pragma once\nnamespace n {}\ninline int util() { return 0; }\n");
  }
  ValidationFixture fixture_;
};

TEST_F(CcSyntax, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.diagnostics, ElementsAre());
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(*result.files_read, ElementsAre("a.cc", "b.cc", "lib/util.h"));

  fixture_.Write("lib/util.h", "#pragma once\nnamespace n {}\ninline int utils() { return 0; }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "a.cc");
  EXPECT_EQ(result.diagnostics[0].line, 2);
  EXPECT_EQ(result.diagnostics[0].column, 21);
  ASSERT_EQ(result.diagnostics[0].fixes.size(), 1);
  EXPECT_EQ(result.diagnostics[0].fixes[0].replacement, "utils");
  EXPECT_THAT(result.command, testing::HasSubstr("(2 of 3 files)"));

  // Still wrong although nothing changed since.
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("lib/util.h", "#pragma once\nnamespace n {}\ninline int util() { return 0; }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("b.cc", "int b() { return \"\"; }\n");
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("b.cc").c_str(), long_ago, 0);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(CcSyntax, NoticesANewHeaderThatHidesAnother) {
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("lib/lib/util.h", "#error hidden\n");
  fixture_.Write("lib/c.cc", "#include \"lib/util.h\"\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

// Neither the gate nor the project knows of such a file.
TEST_F(CcSyntax, NoticesAChangeOfWhatIsNoInput) {
  fixture_.workspace().Write("table.inc", "1, 2\n");
  fixture_.Write("b.cc", "int table[] = {\n#include \"table.inc\"\n};\n");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_THAT(fixture_.Validate().command, testing::HasSubstr("(0 of 3 files)"));

  fixture_.workspace().Write("table.inc", "1, nothing\n");
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("table.inc").c_str(), long_ago, 0);
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "table.inc");
  fixture_.workspace().Write("table.inc", "1, 3\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);

  std::filesystem::remove(fixture_.workspace().Path("table.inc"));
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "b.cc");
}

TEST_F(CcSyntax, ChecksAgainWithAnotherCompiler) {
  const std::string real = *FindExecutable("g++", TestEnvironment());
  const auto install = [&](const std::string& version) {
    fixture_.FakeProgram("g++", "test \"$1\" = --version && echo 'g++ (x) " + version +
                                    "' && exit\nexec " + real + " \"$@\"\n");
  };
  install("12.2");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_THAT(fixture_.Validate().command, testing::HasSubstr("(0 of 3 files)"));
  install("13.2.0");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.command, testing::HasSubstr("(3 of 3 files)"));
}

TEST_F(CcSyntax, ChecksCAsC) {
  fixture_.Write("old.c", "int f(void) { int class = 1; return class; }\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST_F(CcSyntax, ReportsAHeaderThatCannotStandAlone) {
  fixture_.Write("lone.hpp", "inline std::string f();\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lone.hpp");
}

TEST_F(CcSyntax, WorksWithClangToo) {
  if (!HasProgram("clang++")) GTEST_SKIP() << "clang++ is not installed";
  const std::string clang = *FindExecutable("clang++", TestEnvironment());
  fixture_.FakeProgram("clang++", "exec " + clang + " \"$@\"");
  fixture_.FakeProgram("clang", "exec " + *FindExecutable("clang", TestEnvironment()) + " \"$@\"");
  const std::string path = fixture_.environment()["PATH"];
  fixture_.environment()["PATH"] = path.substr(0, path.find(':'));
  fixture_.Write("b.cc", "int b() {\n\tint x = \"é\"; return y; }\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].column, 6);
  EXPECT_EQ(result.diagnostics[1].column, 23);
}

TEST_F(CcSyntax, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_EQ(result.message, "apt install g++");
}

TEST_F(CcSyntax, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram("g++", absl::StrCat(kSaysVersion, program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  fixture_.FakeProgram("g++", "echo 'a.cc:1:1: error: nonsense'");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.FakeProgram("g++", absl::StrCat(kSaysVersion, "true"));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.FakeProgram("g++", "true");  // as in CXX=true
  const ValidationResult silent = fixture_.Validate();
  EXPECT_EQ(silent.verdict, Verdict::kInfraError);
  EXPECT_THAT(silent.message, testing::HasSubstr("does not say its version"));
}

TEST_F(CcSyntax, TimesOut) {
  fixture_.FakeProgram("g++", "test \"$1\" = --version && echo 'g++ (x) 12.2' || exec sleep 100");
  fixture_.set_timeout(absl::Milliseconds(300));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

}  // namespace
}  // namespace stile
