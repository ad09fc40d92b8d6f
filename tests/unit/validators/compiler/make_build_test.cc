#include "validators/compiler/make_build.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/scratch_copy.h"

namespace stile {
namespace {

// Root can read every file: somebody else, to whom the folders are given, cannot.
class NotRoot {
 public:
  explicit NotRoot(const std::vector<std::string>& folders) : was_root_(geteuid() == 0) {
    if (!was_root_) return;
    for (const std::string& folder : folders) {
      EXPECT_EQ(chown(folder.c_str(), kNobody, kNobody), 0);
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        EXPECT_EQ(lchown(entry.path().c_str(), kNobody, kNobody), 0);
      }
    }
    EXPECT_EQ(seteuid(kNobody), 0);
  }
  ~NotRoot() {
    if (!was_root_) return;
    EXPECT_EQ(seteuid(0), 0);
  }

 private:
  static constexpr uid_t kNobody = 65534;
  const bool was_root_;
};

class MakeBuild : public testing::Test {
 protected:
  MakeBuild() : fixture_(NewMakeBuildValidator(), "c") {}
  void SetUp() override {
    if (!HasProgram("make") || !HasProgram("gcc")) GTEST_SKIP() << "make or gcc is not installed";
    // As so often, the rule knows nothing of the header.
    fixture_.Write("Makefile", "app: a.o b.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -c -o $@ $<\n");
    fixture_.Write("a.c", "#include \"a.h\"\nint b(void);\nint main(void) { return b() + A; }\n");
    fixture_.Write("b.c", "int b(void) { return 0; }\n");
    fixture_.Write("a.h", "#define A 0\n");
  }
  ValidationFixture fixture_;
};

TEST_F(MakeBuild, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);

  fixture_.Write("b.c", "int b(void) {\n\tchar *é = 0; return undeclared; }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "b.c");
  EXPECT_EQ(result.diagnostics[0].line, 2);
  EXPECT_EQ(result.diagnostics[0].column, 23);

  fixture_.Write("b.c", "int b(void) { return 0; }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("a.h", "#define A nothing\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("a.h", "#define A 0\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Remove("b.c");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

// Neither the gate nor the makefile knows of such a file.
TEST_F(MakeBuild, NoticesAChangeOfWhatIsNoInput) {
  fixture_.workspace().Write("table.inc", "0");
  fixture_.workspace().Write("node_modules/x/index.js", "");
  fixture_.Write("b.c", "int b(void) { return\n#include \"table.inc\"\n; }\n");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_FALSE(fixture_.state().Exists("tree/node_modules"));
  fixture_.workspace().Write("table.inc", "nothing");
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  fixture_.workspace().Write("table.inc", "1");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  std::filesystem::remove(fixture_.workspace().Path("table.inc"));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(MakeBuild, BuildsOnWhatItHasWhereOnlySourcesChanged) {
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.state().Write("tree/kept", "");
  fixture_.Write("b.c", "int b(void) { return 1; }\n");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_TRUE(fixture_.state().Exists("tree/kept"));
}

TEST_F(MakeBuild, StartsAnewWithAnotherCompiler) {
  const std::string real = *FindExecutable("cc", TestEnvironment());
  const auto install = [&](const std::string& version) {
    fixture_.FakeProgram("cc", "test \"$1\" = --version && echo 'cc (x) " + version +
                                   "' && exit\nexec " + real + " \"$@\"\n");
  };
  install("12.2");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.state().Write("tree/kept", "");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_TRUE(fixture_.state().Exists("tree/kept"));
  install("13.2.0");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_FALSE(fixture_.state().Exists("tree/kept"));
}

TEST_F(MakeBuild, TakesFilesThatDoNotFitIntoMemory) {
  fixture_.workspace().Write("image.bin", "");
  std::filesystem::resize_file(fixture_.workspace().Path("image.bin"), kMaxFileBytes + 1);
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST_F(MakeBuild, AFileThatCannotBeReadIsNoStatus) {
  fixture_.workspace().Write("secret", "");
  chmod(fixture_.workspace().Path("secret").c_str(), 0);
  const NotRoot not_root({fixture_.workspace().path(), fixture_.state().path()});
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, testing::HasSubstr("secret"));
}

TEST_F(MakeBuild, TrustsNoObjectsThatLieInTheWorkspace) {
  fixture_.Write("b.c", "int b(void) { return undeclared; }\n");
  fixture_.workspace().Write("b.o", "left by somebody, newer than its source");
  fixture_.workspace().Write("app", "left by somebody");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(MakeBuild, CopiesWhatTheMakefileReachesAbove) {
  fixture_.Write("sub/Makefile", "app: ../common/c.h\n\t$(CC) -I../common -fsyntax-only x.c\n");
  fixture_.Write("common/c.h", "#define C 1\n");
  fixture_.Write("sub/x.c", "#include \"c.h\"\nint x = D;\n");
  fixture_.set_root("sub");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "sub/x.c");
}

TEST_F(MakeBuild, PlacesAFaultOfTheMakefile) {
  fixture_.Write("Makefile", "all:\n   bad\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(FormatDiagnostic(result.diagnostics[0]), "Makefile:2: error: missing separator.");
}

TEST_F(MakeBuild, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kNoValidator);
}

TEST_F(MakeBuild, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram(
        "make", absl::StrCat("test \"$1\" = --version && echo make 4 && exit\n", program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  fixture_.FakeProgram("make", "echo 'a.c:1:1: error: nonsense'");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.FakeProgram("make", "true");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

TEST_F(MakeBuild, TimesOut) {
  fixture_.Write("Makefile", "all:\n\tsleep 100\n");
  fixture_.set_timeout(absl::Seconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

TEST(ScratchCopy, FollowsItsSourceAndKeepsWhatTheBuildMade) {
  const TempDir source, state;
  source.Write("a/x.c", "one");
  source.Write(".git/config", "private");
  source.MakeDir("empty");
  const ScratchCopy copy{source.path(), state.Path("tree"), state.Path("copied.json"), {}};
  EXPECT_THAT(*SyncScratchCopy(copy, {}), testing::ElementsAre("a/x.c"));
  EXPECT_EQ(state.Read("tree/a/x.c"), "one");
  EXPECT_TRUE(state.Exists("tree/empty"));
  EXPECT_FALSE(state.Exists("tree/.git"));
  state.Write("tree/a/x.o", "made");
  source.Write("a/x.c", "two");
  source.Write("a/y.c", "three");
  EXPECT_THAT(*SyncScratchCopy(copy, {}), testing::ElementsAre("a/x.c", "a/y.c"));
  EXPECT_EQ(state.Read("tree/a/x.c"), "two");
  EXPECT_EQ(state.Read("tree/a/x.o"), "made");
  std::filesystem::remove(source.Path("a/y.c"));
  EXPECT_THAT(*SyncScratchCopy(copy, {}), testing::ElementsAre("a/y.c"));
  EXPECT_FALSE(state.Exists("tree/a/y.c"));
  EXPECT_THAT(*SyncScratchCopy(copy, {}), testing::ElementsAre());
  EXPECT_THAT(*SyncScratchCopy(copy, {"a/x.c"}), testing::ElementsAre("a/x.c"));
}

TEST_F(MakeBuild, AFailedRecipeIsAFailureAndAMissingProgramIsNot) {
  fixture_.Write("Makefile", "all:\n\t@false\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.message, testing::HasSubstr("Error 1"));
  fixture_.Write("Makefile", "all:\n\t@no-such-program-anywhere\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

TEST_F(MakeBuild, AnOutputThatLiesInTheWorkspaceProvesNothing) {
  fixture_.Write("Makefile", "prog: main.c\n\tgcc -o prog main.c\n");
  fixture_.Write("main.c", "int main(void) { return undefined_name; }\n");
  fixture_.Write("prog", "newer than its source\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

}  // namespace
}  // namespace stile
