#include "runtime/workspace/edit_transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <thread>

#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every path below a folder with its content; folders end in '/'.
std::map<std::string, std::string> Tree(const std::string& root, const std::string& below = "") {
  std::map<std::string, std::string> tree;
  const std::string folder = below.empty() ? root : JoinPath(root, below);
  const auto names = ListDirectory(folder);
  EXPECT_TRUE(names.ok()) << names.status();
  for (const std::string& name : *names) {
    const std::string path = JoinPath(below, name);
    if (DirectoryExists(JoinPath(root, path))) {
      tree[path + "/"] = "";
      tree.merge(Tree(root, path));
    } else {
      tree[path] = *DiskFileSystem()->ReadFile(JoinPath(root, path), kMaxFileBytes);
    }
  }
  return tree;
}

class EditTransactionTest : public ::testing::Test {
 protected:
  EditTransaction Make(FileSystem* fs = DiskFileSystem()) {
    return EditTransaction(fs, dir_.path(), state_.Path("journal"));
  }
  TempDir dir_;
  TempDir state_;
};

TEST_F(EditTransactionTest, AppliesWritesDeletionsAndMoves) {
  dir_.Write("keep", "old");
  dir_.Write("gone", "x");
  dir_.Write("from", "moved");
  auto edit = Make();
  ASSERT_TRUE(edit.Write("keep", "new").ok());
  ASSERT_TRUE(edit.Write("a/b/c", "made").ok());
  ASSERT_TRUE(edit.Delete("gone").ok());
  ASSERT_TRUE(edit.Move("from", "d/to").ok());
  EXPECT_THAT(edit.paths(), ElementsAre("a/b/c", "d/to", "from", "gone", "keep"));
  EXPECT_EQ(dir_.Read("keep"), "old");
  const auto status = edit.Commit();
  ASSERT_TRUE(status.ok()) << status;
  const std::map<std::string, std::string> expected = {
      {"a/", ""}, {"a/b/", ""}, {"a/b/c", "made"}, {"d/", ""}, {"d/to", "moved"}, {"keep", "new"}};
  EXPECT_EQ(Tree(dir_.path()), expected);
  EXPECT_THAT(*ListDirectory(EditJournalFolder(state_.Path("journal"), dir_.path())),
              ElementsAre("lock"));
  EXPECT_FALSE(edit.Commit().ok());
}

TEST_F(EditTransactionTest, KeepsTheModeOfAnExistingFile) {
  dir_.Write("script", "old");
  ASSERT_EQ(chmod(dir_.Path("script").c_str(), 0751), 0);
  auto edit = Make();
  ASSERT_TRUE(edit.Write("script", "new").ok());
  ASSERT_TRUE(edit.Write("made", "new", 0755).ok());
  ASSERT_TRUE(edit.Commit().ok());
  struct stat info {};
  ASSERT_EQ(stat(dir_.Path("script").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0751u);
  ASSERT_EQ(stat(dir_.Path("made").c_str(), &info), 0);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(info.st_mode & 07777, 0755u & ~mask);
}

TEST_F(EditTransactionTest, AnUnchangedFileIsNotWrittenAgain) {
  dir_.Write("same", "x");
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(stat(dir_.Path("same").c_str(), &before), 0);
  auto edit = Make();
  ASSERT_TRUE(edit.Write("same", "x").ok());
  ASSERT_TRUE(edit.Commit().ok());
  ASSERT_EQ(stat(dir_.Path("same").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(EditTransactionTest, RefusesWhatLiesOutside) {
  ASSERT_EQ(symlink(state_.path().c_str(), dir_.Path("out").c_str()), 0);
  auto edit = Make();
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Write("../x", "x")));
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Write("out/x", "x")));
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Write("/etc/passwd", "x")));
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Write(".git/config", "x")));
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Delete("out/x")));
  EXPECT_TRUE(absl::IsInvalidArgument(edit.Write(".", "x")));
  EXPECT_TRUE(absl::IsInvalidArgument(edit.Write("a/", "x")));
  EXPECT_TRUE(absl::IsInvalidArgument(edit.Write("", "x")));
  EXPECT_TRUE(absl::IsInvalidArgument(edit.Delete("")));
  EXPECT_THAT(edit.paths(), IsEmpty());
}

TEST_F(EditTransactionTest, AFolderSwappedForASymlinkBeforeCommitIsRefused) {
  dir_.MakeDir("a");
  auto edit = Make();
  ASSERT_TRUE(edit.Write("a/x", "x").ok());
  ASSERT_EQ(rmdir(dir_.Path("a").c_str()), 0);
  ASSERT_EQ(symlink(state_.path().c_str(), dir_.Path("a").c_str()), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(edit.Commit()));
  EXPECT_FALSE(state_.Exists("x"));
  ASSERT_EQ(unlink(dir_.Path("a").c_str()), 0);
  dir_.MakeDir("b");
  ASSERT_EQ(symlink("b", dir_.Path("a").c_str()), 0);
  EXPECT_TRUE(absl::IsAborted(edit.Commit()));
  EXPECT_FALSE(dir_.Exists("b/x"));
}

TEST_F(EditTransactionTest, WritesThroughASymlinkInsideTheWorkspace) {
  dir_.Write("real/file", "old");
  ASSERT_EQ(symlink("real/file", dir_.Path("link").c_str()), 0);
  auto edit = Make();
  ASSERT_TRUE(edit.Write("link", "new").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(edit.Write("real/file", "twice")));
  EXPECT_TRUE(absl::IsFailedPrecondition(edit.Delete("link")));
  ASSERT_TRUE(edit.Commit().ok());
  EXPECT_EQ(dir_.Read("real/file"), "new");
  struct stat info {};
  ASSERT_EQ(lstat(dir_.Path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(EditTransactionTest, UnmetExpectationsChangeNothing) {
  dir_.Write("a", "one");
  dir_.Write("b", "one");
  {
    auto edit = Make();
    ASSERT_TRUE(edit.Write("a", "two").ok());
    edit.Expect("a", "other");
    EXPECT_TRUE(absl::IsAborted(edit.Commit()));
  }
  {
    auto edit = Make();
    ASSERT_TRUE(edit.Write("a", "two").ok());
    edit.Expect("b", std::nullopt);
    const auto status = edit.Commit();
    EXPECT_TRUE(absl::IsAborted(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("b exists by now"));
  }
  {
    auto edit = Make();
    ASSERT_TRUE(edit.Move("a", "c").ok());
    dir_.Write("a", "edited meanwhile");
    EXPECT_TRUE(absl::IsAborted(edit.Commit()));
  }
  EXPECT_EQ(dir_.Read("a"), "edited meanwhile");
  EXPECT_FALSE(dir_.Exists("c"));
  auto edit = Make();
  ASSERT_TRUE(edit.Write("a", "two").ok());
  edit.Expect("a", "edited meanwhile");
  edit.Expect("c", std::nullopt);
  EXPECT_TRUE(edit.Commit().ok());
}

TEST_F(EditTransactionTest, MissingAndTakenPathsAreErrors) {
  dir_.Write("a", "x");
  dir_.Write("b", "x");
  dir_.MakeDir("folder");
  {
    auto edit = Make();
    EXPECT_TRUE(absl::IsNotFound(edit.Move("missing", "c")));
    EXPECT_TRUE(absl::IsAlreadyExists(edit.Move("a", "b")));
    EXPECT_TRUE(absl::IsFailedPrecondition(edit.Move("folder", "c")));
    EXPECT_THAT(edit.paths(), IsEmpty());
    ASSERT_TRUE(edit.Delete("missing").ok());
    EXPECT_TRUE(absl::IsNotFound(edit.Commit()));
  }
  {
    auto edit = Make();
    ASSERT_TRUE(edit.Write("folder", "x").ok());
    EXPECT_TRUE(absl::IsFailedPrecondition(edit.Commit()));
  }
  auto edit = Make();
  ASSERT_TRUE(edit.Write("a/below-a-file", "x").ok());
  EXPECT_FALSE(edit.Commit().ok());
  EXPECT_EQ(dir_.Read("a"), "x");
}

TEST_F(EditTransactionTest, UndoPutsOldContentsBack) {
  dir_.Write("changed", "old");
  dir_.Write("deleted", "old");
  dir_.Write("edited-after", "old");
  ASSERT_EQ(chmod(dir_.Path("deleted").c_str(), 0700), 0);
  auto edit = Make();
  ASSERT_TRUE(edit.Write("changed", "new").ok());
  ASSERT_TRUE(edit.Write("edited-after", "new").ok());
  ASSERT_TRUE(edit.Write("made", "new").ok());
  ASSERT_TRUE(edit.Delete("deleted").ok());
  EXPECT_FALSE(edit.Undo().ok());
  ASSERT_TRUE(edit.Commit().ok());
  dir_.Write("edited-after", "by a person");
  const auto untouched = edit.Undo();
  ASSERT_TRUE(untouched.ok()) << untouched.status();
  EXPECT_THAT(*untouched, ElementsAre("edited-after"));
  const std::map<std::string, std::string> expected = {
      {"changed", "old"}, {"deleted", "old"}, {"edited-after", "by a person"}};
  EXPECT_EQ(Tree(dir_.path()), expected);
  struct stat info {};
  ASSERT_EQ(stat(dir_.Path("deleted").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
}

// One transaction with every kind of edit, run with a fault at each operation in turn.
class FaultTest : public ::testing::TestWithParam<bool> {
 protected:
  // What is there when the fault never comes.
  static const std::map<std::string, std::string>& After() {
    static const auto* const after = new std::map<std::string, std::string>{
        {"a", "new a"}, {"sub/", ""},      {"sub/b", "new b"}, {"x/", ""},
        {"x/y/", ""},   {"x/y/z", "made"}, {"moved/", ""},     {"moved/d\xff\n", "old d"}};
    return *after;
  }

  static void Fill(const TempDir& dir) {
    dir.Write("a", "old a");
    dir.Write("sub/b", "old b");
    dir.Write("c", "old c");
    dir.Write("d", "old d");
  }

  static absl::Status Edit(FileSystem* fs, const TempDir& dir, const TempDir& state) {
    EditTransaction edit(fs, dir.path(), state.Path("journal"));
    EXPECT_TRUE(edit.Write("a", "new a").ok());
    EXPECT_TRUE(edit.Write("sub/b", "new b").ok());
    EXPECT_TRUE(edit.Write("x/y/z", "made").ok());
    EXPECT_TRUE(edit.Delete("c").ok());
    EXPECT_TRUE(edit.Move("d", "moved/d\xff\n").ok());
    return edit.Commit();
  }
};

TEST_P(FaultTest, LeavesAllOrNothing) {
  const bool dead = GetParam();
  bool tripped = true;
  for (int n = 0; tripped; ++n) {
    SCOPED_TRACE(n);
    ASSERT_LT(n, 200);
    TempDir dir;
    TempDir state;
    Fill(dir);
    const auto before = Tree(dir.path());
    FaultyFileSystem faulty(n, dead);
    const absl::Status status = Edit(&faulty, dir, state);
    tripped = faulty.tripped();
    if (!dead) {
      EXPECT_EQ(Tree(dir.path()), status.ok() ? After() : before);
    }
    const auto recovered =
        RecoverTransactions(DiskFileSystem(), SystemClock(), state.Path("journal"), dir.path());
    ASSERT_TRUE(recovered.ok()) << recovered.status();
    const auto now = Tree(dir.path());
    EXPECT_TRUE(now == before || now == After());
    if (!dead) {
      EXPECT_EQ(now, status.ok() ? After() : before);
    }
    if (!tripped) {
      EXPECT_TRUE(status.ok());
      EXPECT_EQ(now, After());
    }
    const std::string folder = EditJournalFolder(state.Path("journal"), dir.path());
    if (DirectoryExists(folder)) {
      EXPECT_THAT(*ListDirectory(folder), ElementsAre("lock"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FullDiskOrDeath, FaultTest, ::testing::Values(false, true));

TEST_F(EditTransactionTest, RecoverySurvivesACrashInRecovery) {
  for (int n = 0; n < 12; ++n) {
    SCOPED_TRACE(n);
    TempDir dir;
    TempDir state;
    dir.Write("a", "old");
    dir.Write("b", "old");
    FaultyFileSystem dies_late(8, /*dead=*/true);
    EditTransaction edit(&dies_late, dir.path(), state.path());
    ASSERT_TRUE(edit.Write("a", "new").ok());
    ASSERT_TRUE(edit.Write("b", "new").ok());
    edit.Commit().IgnoreError();
    ASSERT_TRUE(dies_late.tripped());
    FaultyFileSystem dies_again(n, /*dead=*/true);
    RecoverTransactions(&dies_again, SystemClock(), state.path(), dir.path())
        .status()
        .IgnoreError();
    ASSERT_TRUE(
        RecoverTransactions(DiskFileSystem(), SystemClock(), state.path(), dir.path()).ok());
    EXPECT_EQ(dir.Read("a"), dir.Read("b"));
  }
}

TEST_F(EditTransactionTest, RecoveryIsForOneWorkspaceOnly) {
  dir_.Write("a", "old");
  FaultyFileSystem dies(5, /*dead=*/true);
  auto edit = Make(&dies);
  ASSERT_TRUE(edit.Write("a", "new").ok());
  edit.Commit().IgnoreError();
  ASSERT_TRUE(dies.tripped());
  TempDir other;
  EXPECT_THAT(
      RecoverTransactions(DiskFileSystem(), SystemClock(), state_.Path("journal"), other.path())
          ->changed,
      IsEmpty());
  EXPECT_GE(ListDirectory(EditJournalFolder(state_.Path("journal"), dir_.path()))->size(),
            size_t{2});
  ASSERT_TRUE(
      RecoverTransactions(DiskFileSystem(), SystemClock(), state_.Path("journal"), dir_.path())
          .ok());
  EXPECT_EQ(dir_.Read("a"), "old");
}

TEST_F(EditTransactionTest, RecoveryWaitsForTransactionsUnderWay) {
  const std::string journal = state_.Path("journal");
  auto shared = EditJournalLock::Share(DiskFileSystem(), journal);
  ASSERT_TRUE(shared.ok());
  EXPECT_TRUE(EditJournalLock::Share(DiskFileSystem(), journal).ok());
  const auto refused =
      EditJournalLock::TakeAlone(DiskFileSystem(), SystemClock(), journal, absl::ZeroDuration());
  EXPECT_TRUE(absl::IsUnavailable(refused.status()));
  { const EditJournalLock ended = *std::move(shared); }
  EXPECT_TRUE(
      EditJournalLock::TakeAlone(DiskFileSystem(), SystemClock(), journal, absl::Seconds(1)).ok());
}

TEST_F(EditTransactionTest, RecoveryLeavesLaterEditsAlone) {
  dir_.Write("a", "old");
  dir_.Write("b", "old");
  FaultyFileSystem dies(8, /*dead=*/true);  // after both renames
  auto edit = Make(&dies);
  ASSERT_TRUE(edit.Write("a", "new").ok());
  ASSERT_TRUE(edit.Write("b", "new").ok());
  edit.Commit().IgnoreError();
  ASSERT_EQ(dir_.Read("b"), "new");
  dir_.Write("b", "by a person");
  const auto touched =
      RecoverTransactions(DiskFileSystem(), SystemClock(), state_.Path("journal"), dir_.path());
  ASSERT_TRUE(touched.ok()) << touched.status();
  EXPECT_THAT(touched->changed, ElementsAre("a"));
  EXPECT_THAT(touched->foreign, ElementsAre("b"));
  EXPECT_EQ(dir_.Read("a"), "old");
  EXPECT_EQ(dir_.Read("b"), "by a person");
}

TEST_F(EditTransactionTest, RecoveryRefusesADamagedRecord) {
  EXPECT_THAT(
      RecoverTransactions(DiskFileSystem(), SystemClock(), state_.Path("missing"), dir_.path())
          ->changed,
      IsEmpty());
  for (const char* text :
       {"", "no json\n", "{}\n", "{\"format\":1}\n",
        "{\"format\":1,\"root\":\"Lw==\",\"entries\":[1],\"new_folders\":[]}\n",
        "{\"format\":1,\"root\":\"Lw==\",\"entries\":[],\"new_folders\":[]}\nx"}) {
    SCOPED_TRACE(text);
    TempDir other;
    DiskFileSystem()->MakeDirs(EditJournalFolder(state_.path(), dir_.path())).IgnoreError();
    const std::string record = EditJournalFolder(state_.path(), dir_.path()) + "/0.edit";
    ASSERT_TRUE(DiskFileSystem()->WriteFile(record, text, 0600, false).ok());
    EXPECT_TRUE(absl::IsDataLoss(
        RecoverTransactions(DiskFileSystem(), SystemClock(), state_.path(), dir_.path()).status()));
    // It is nothing to another workspace.
    EXPECT_TRUE(
        RecoverTransactions(DiskFileSystem(), SystemClock(), state_.path(), other.path()).ok());
  }
}

TEST_F(EditTransactionTest, RecoveryDoesNotGiveUpSilently) {
  const std::string folder = EditJournalFolder(state_.Path("journal"), dir_.path());
  const auto shared = EditJournalLock::Share(DiskFileSystem(), folder);
  ASSERT_TRUE(DiskFileSystem()->WriteFile(folder + "/0.edit", "", 0600, false).ok());
  FakeClock clock;
  EXPECT_TRUE(absl::IsUnavailable(
      RecoverTransactions(DiskFileSystem(), &clock, state_.Path("journal"), dir_.path()).status()));
  TempDir other;
  EXPECT_TRUE(
      RecoverTransactions(DiskFileSystem(), &clock, state_.Path("journal"), other.path()).ok());
}

TEST_F(EditTransactionTest, WhatARecoveryPutsBackIsReadAfterIt) {
  dir_.Write("a", "half");
  auto edit = Make();
  ASSERT_TRUE(edit.Write("a", "new").ok());
  edit.Expect("a", "whole");
  absl::Status committed;
  std::thread other;
  {
    const auto recovery = EditJournalLock::TakeAlone(
        DiskFileSystem(), SystemClock(), EditJournalFolder(state_.Path("journal"), dir_.path()),
        absl::ZeroDuration());
    ASSERT_TRUE(recovery.ok()) << recovery.status();
    other = std::thread([&] { committed = edit.Commit(); });
    SystemClock()->Sleep(absl::Milliseconds(50), nullptr);
    dir_.Write("a", "whole");
  }
  other.join();
  EXPECT_TRUE(committed.ok()) << committed;
  EXPECT_EQ(dir_.Read("a"), "new");
}

}  // namespace
}  // namespace stile
