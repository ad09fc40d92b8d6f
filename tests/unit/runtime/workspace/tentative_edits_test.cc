#include "runtime/workspace/tentative_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TentativeEditsTest : public ::testing::Test {
 protected:
  std::string At(const std::string& path) { return JoinPath(workspace_.path(), path); }
  std::string Read(const std::string& path) {
    return DiskFileSystem()->ReadFile(At(path), 1 << 20).value_or("(none)");
  }
  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(DiskFileSystem()->MakeDirs(DirName(At(path))).ok());
    ASSERT_TRUE(DiskFileSystem()->WriteFile(At(path), text, 0644, false).ok());
  }
  TentativeEdits Edits() {
    return TentativeEdits(DiskFileSystem(), workspace_.path(), journal_.path());
  }
  std::vector<std::string> Recover() {
    return RecoverTransactions(DiskFileSystem(), &clock_, journal_.path(), workspace_.path())
        ->changed;
  }

  TempDir workspace_;
  TempDir journal_;
  FakeClock clock_;
};

TEST_F(TentativeEditsTest, KeepsTheLastAttemptOnly) {
  Write("a", "one");
  Write("b", "two");
  {
    TentativeEdits edits = Edits();
    ASSERT_TRUE(edits.Try({{"a", {"1"}}, {"b", {"2"}}}).ok());
    ASSERT_TRUE(edits.Try({{"a", {"I"}}, {"sub/c", {"III"}}}).ok());
    EXPECT_EQ(Read("b"), "two");
    ASSERT_TRUE(edits.Keep().ok());
  }
  EXPECT_EQ(Read("a"), "I");
  EXPECT_EQ(Read("b"), "two");
  EXPECT_EQ(Read("sub/c"), "III");
  EXPECT_THAT(Recover(), IsEmpty());
}

TEST_F(TentativeEditsTest, TakesBackWhatIsNotKept) {
  Write("a", "one");
  Write("b", "two");
  ASSERT_EQ(chmod(At("b").c_str(), 0755), 0);
  {
    TentativeEdits edits = Edits();
    ASSERT_TRUE(edits.Try({{"a", {"1"}}, {"b", {std::nullopt}}, {"sub/c", {"3"}}}).ok());
    EXPECT_EQ(Read("b"), "(none)");
  }
  EXPECT_EQ(Read("a"), "one");
  EXPECT_EQ(Read("b"), "two");
  struct stat info {};
  ASSERT_EQ(stat(At("b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755U);
  EXPECT_FALSE(FileExists(At("sub")));
}

TEST_F(TentativeEditsTest, LeavesAloneWhatSomebodyElseWrote) {
  Write("a", "one");
  TentativeEdits edits = Edits();
  ASSERT_TRUE(edits.Try({{"a", {"1"}}}).ok());
  Write("a", "by somebody");
  EXPECT_TRUE(absl::IsAborted(edits.Try({{"a", {"2"}}})));
  EXPECT_THAT(edits.TakeBack().value(), ElementsAre("a"));
  EXPECT_EQ(Read("a"), "by somebody");
}

TEST_F(TentativeEditsTest, NoticesAFileThatIsNotWhatWasPlannedOn) {
  Write("a", "one");
  TentativeEdits edits = Edits();
  edits.Expect("a", "something else");
  EXPECT_TRUE(absl::IsAborted(edits.Try({{"a", {"1"}}})));
  EXPECT_EQ(Read("a"), "one");
}

TEST_F(TentativeEditsTest, RecoversWhateverAttemptACrashLeft) {
  for (const int attempts : {1, 2, 3}) {
    Write("a", "one");
    const pid_t child = fork();
    if (child == 0) {
      TentativeEdits edits = Edits();
      bool ok = edits.Try({{"a", {"1"}}, {"b", {"new"}}}).ok();
      if (attempts > 1) ok = ok && edits.Try({{"a", {"2"}}}).ok();
      if (attempts > 2) ok = ok && edits.Try({{"a", {std::nullopt}}}).ok();
      _exit(ok ? 0 : 1);  // no destructor runs
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_NE(Read("a"), "one");
    Recover();
    EXPECT_EQ(Read("a"), "one") << attempts;
    EXPECT_EQ(Read("b"), "(none)") << attempts;
  }
}

// The record of an attempt lies beside the one of all attempts, in an order that is random.
TEST_F(TentativeEditsTest, RecoversFromACrashInTheMiddleOfAnAttempt) {
  for (int n = 1;; ++n) {
    Write("a", "one");
    Write("b", "one");
    FaultyFileSystem dies(n, /*dead=*/true);
    {
      TentativeEdits edits(&dies, workspace_.path(), journal_.path());
      edits.Try({{"a", {"1"}}, {"b", {"1"}}}).IgnoreError();
      edits.Try({}).IgnoreError();
      edits.Try({{"b", {"2"}}}).IgnoreError();
      if (!dies.tripped()) break;
    }
    Recover();
    EXPECT_EQ(Read("a"), "one") << n;
    EXPECT_EQ(Read("b"), "one") << n;
  }
}

TEST_F(TentativeEditsTest, OnlyOneAtATimeInAWorkspace) {
  Write("a", "before");
  TentativeEdits first = Edits();
  ASSERT_TRUE(first.Try({{"a", {"first"}}}).ok());
  TentativeEdits second = Edits();
  EXPECT_TRUE(absl::IsAborted(second.Try({{"a", {"second"}}})));
  ASSERT_TRUE(first.TakeBack().ok());
  EXPECT_EQ(Read("a"), "before");
  EXPECT_TRUE(second.Try({{"a", {"second"}}}).ok());
  EXPECT_TRUE(second.Keep().ok());
  EXPECT_EQ(Read("a"), "second");
}

}  // namespace
}  // namespace stile
