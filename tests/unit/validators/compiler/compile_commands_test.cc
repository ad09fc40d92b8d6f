#include "validators/compiler/compile_commands.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/json.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using testing::ElementsAre;

class CompileCommands : public testing::Test {
 protected:
  CompileCommands() : fixture_(NewCompileCommandsValidator(), "cpp") {}
  void SetUp() override {
    if (!HasProgram("g++")) GTEST_SKIP() << "g++ is not installed";
    const std::string root = fixture_.workspace().path();
    fixture_.workspace().MakeDir("out");
    const Json commands = {
        {{"directory", root + "/out"},
         {"file", "../src/a.cc"},
         {"command", "ccache g++ -DNAME=\\\"x\\\" -I../include -MD -MF a.d -o a.o -c ../src/a.cc"}},
        {{"directory", root},
         {"file", "src/b.cc"},
         {"arguments", {"g++", "-c", "-ob.o", "src/b.cc"}}},
    };
    fixture_.Write("compile_commands.json", DumpJson(commands));
    fixture_.Write("include/a.h", "inline int a() { return 0; }\n");
    fixture_.Write("src/a.cc",
                   "#include \"a.h\"\nint f() { const char* n = NAME; return n ? a() : 1; }\n");
    fixture_.Write("src/b.cc", "int b() { return 1; }\n");
  }
  ValidationFixture fixture_;
};

TEST_F(CompileCommands, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(*result.files_read, ElementsAre("include/a.h", "src/a.cc", "src/b.cc"));
  fixture_.Write("include/a.h", "inline int a() { return nothing; }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "include/a.h");
  EXPECT_THAT(result.command, testing::HasSubstr("a.cc"));
  fixture_.Write("include/a.h", "inline int a() { return 0; }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_F(CompileCommands, RunsNoProgramThatIsNoCompiler) {
  fixture_.Write("compile_commands.json", DumpJson({{{"directory", fixture_.workspace().path()},
                                                     {"file", "src/b.cc"},
                                                     {"command", "touch src/b.cc"}}}));
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError);
  EXPECT_THAT(result.message, testing::HasSubstr("'touch'"));
}

TEST_F(CompileCommands, NeverPassesWithABrokenProgram) {
  fixture_.FakeProgram("g++", "true");
  const ValidationResult silent = fixture_.Validate();
  EXPECT_EQ(silent.verdict, Verdict::kInfraError) << Describe(silent);
  // Found first, but not what the database names.
  fixture_.FakeProgram("g++", "echo 'g++ (x) 12.2'");
  fixture_.FakeProgram("clang++", "true");
  fixture_.Write("compile_commands.json", DumpJson({{{"directory", fixture_.workspace().path()},
                                                     {"file", "src/b.cc"},
                                                     {"command", "clang++ -c src/b.cc"}}}));
  const ValidationResult named = fixture_.Validate();
  EXPECT_EQ(named.verdict, Verdict::kInfraError) << Describe(named);
  EXPECT_THAT(named.message, testing::HasSubstr("clang++ (for src/b.cc) is there, but does not"));
}

TEST_F(CompileCommands, NoticesAChangeOfWhatIsNoInput) {
  fixture_.workspace().Write("include/table.def", "1\n");
  fixture_.Write("include/a.h", "inline int a() { return\n#include \"table.def\"\n; }\n");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.workspace().Write("include/table.def", "nothing\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "include/table.def");
}

TEST_F(CompileCommands, RefusesABrokenDatabase) {
  for (const char* text :
       {"", "{}", "[]", "[{}]", "[{\"file\": \"src/b.cc\", \"directory\": \"/none\"}]",
        "[{\"file\": \"src/b.cc\", \"directory\": \".\", \"command\": \"g++ 'a\"}]"}) {
    fixture_.Write("compile_commands.json", text);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << text;
  }
}

}  // namespace
}  // namespace stile
