#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/journal/run_store.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Entry {
  std::string content;
  uint32_t mode = 0100644;
};

class RunUndoTest : public ::testing::Test {
 protected:
  RunUndoTest() {
    dir_.MakeDir("work");
    run_ = *store_.Create("r1");
  }
  std::string At(const std::string& name) const { return dir_.Path("work/" + name); }
  std::string ReadFile(const std::string& name) const { return dir_.Read("work/" + name); }
  bool Exists(const std::string& name) const { return dir_.Exists("work/" + name); }
  void Put(const std::string& name, const Entry& entry) {
    if (S_ISLNK(entry.mode)) {
      ASSERT_EQ(symlink(entry.content.c_str(), At(name).c_str()), 0);
      return;
    }
    dir_.Write("work/" + name, entry.content);
    ASSERT_EQ(chmod(At(name).c_str(), entry.mode & 0777), 0);
  }
  std::string Link(const std::string& name) const {
    char target[1000];
    const ssize_t size = readlink(At(name).c_str(), target, sizeof(target));
    return size < 0 ? "not a link" : std::string(target, static_cast<size_t>(size));
  }
  // Records that the run made `after` of `before`.
  void Record(const std::string& path, std::optional<Entry> before, std::optional<Entry> after,
              bool keep_blob = true) {
    RecordedChange change{path, std::nullopt, std::nullopt, 0, 0};
    if (before) {
      change.before = Sha256Of(before->content);
      change.before_mode = before->mode;
      if (keep_blob) {
        ASSERT_TRUE(store_.blobs()->Put(before->content).ok());
      }
    }
    if (after) {
      change.after = Sha256Of(after->content);
      change.after_mode = after->mode;
    }
    changes_.push_back(change);
    ASSERT_TRUE(WriteChanges(DiskFileSystem(), run_, changes_).ok());
  }
  // The run's change, made on disk too.
  void Change(const std::string& path, std::optional<Entry> before, std::optional<Entry> after) {
    Record(path, before, after);
    if (after) Put(path, *after);
  }
  UndoReport Undo() {
    const auto report =
        UndoChanges(DiskFileSystem(), &store_, *ReadChanges(run_), dir_.Path("work"));
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : UndoReport{};
  }

  TempDir dir_;
  RunStore store_{DiskFileSystem(), dir_.Path("state")};
  RunPaths run_;
  std::vector<RecordedChange> changes_;
};

TEST_F(RunUndoTest, RestoresContentModesDeletionsAndAdditions) {
  Change("edited", Entry{"old", 0100755}, Entry{"new", 0100644});
  Change("mode only", Entry{"same", 0100755}, Entry{"same", 0100644});
  Change("deep/er/deleted", Entry{"kept"}, std::nullopt);
  Change("added", std::nullopt, Entry{"x"});
  Change("odd \xff\n\"name", Entry{"1"}, Entry{"2"});
  const UndoReport report = Undo();
  EXPECT_EQ(report.restored.size(), 5u);
  EXPECT_THAT(report.kept, IsEmpty());
  EXPECT_EQ(ReadFile("edited"), "old");
  EXPECT_EQ(ReadFile("deep/er/deleted"), "kept");
  EXPECT_EQ(ReadFile("odd \xff\n\"name"), "1");
  EXPECT_FALSE(Exists("added"));
  EXPECT_EQ(access(At("edited").c_str(), X_OK), 0);
  EXPECT_EQ(access(At("mode only").c_str(), X_OK), 0);
  // Once more: everything is as it was, and that is neither restored nor kept.
  const UndoReport again = Undo();
  EXPECT_THAT(again.restored, IsEmpty());
  EXPECT_THAT(again.kept, IsEmpty());
}

TEST_F(RunUndoTest, LeavesAloneWhatSomebodyElseChanged) {
  Record("edited since", Entry{"old"}, Entry{"by the run"});
  Put("edited since", {"by a person"});
  Record("made again", Entry{"old"}, std::nullopt);
  Put("made again", {"by a person"});
  Record("deleted since", Entry{"old"}, Entry{"by the run"});
  Change("untouched", Entry{"old"}, Entry{"by the run"});
  const UndoReport report = Undo();
  EXPECT_THAT(report.restored, ElementsAre("untouched"));
  EXPECT_THAT(report.kept, ElementsAre("deleted since", "edited since", "made again"));
  EXPECT_EQ(ReadFile("edited since"), "by a person");
  EXPECT_EQ(ReadFile("made again"), "by a person");
  EXPECT_FALSE(Exists("deleted since"));
}

TEST_F(RunUndoTest, RestoresSymlinksWithoutFollowingThem) {
  Put("target", {"target's own"});
  Change("link moved", Entry{"target", 0120777}, Entry{"elsewhere", 0120777});
  Change("link made", std::nullopt, Entry{"target", 0120777});
  Change("was file", Entry{"text"}, Entry{"target", 0120777});
  Change("was link", Entry{"target", 0120777}, Entry{"text"});
  Change("link gone", Entry{"/dangling", 0120777}, std::nullopt);
  const UndoReport report = Undo();
  EXPECT_EQ(report.restored.size(), 5u);
  EXPECT_EQ(Link("link moved"), "target");
  EXPECT_FALSE(Exists("link made"));
  EXPECT_EQ(Link("was file"), "not a link");
  EXPECT_EQ(ReadFile("was file"), "text");
  EXPECT_EQ(Link("was link"), "target");
  EXPECT_EQ(Link("link gone"), "/dangling");
  EXPECT_EQ(ReadFile("target"), "target's own");
}

TEST_F(RunUndoTest, SwapsFoldersAndFilesBack) {
  Record("file", Entry{"was a file"}, std::nullopt);
  Change("file/inner", std::nullopt, Entry{"x"});
  Change("folder", std::nullopt, Entry{"is a file now"});
  Record("folder/inner", Entry{"was inside"}, std::nullopt);
  const UndoReport report = Undo();
  EXPECT_EQ(report.restored.size(), 4u);
  EXPECT_EQ(ReadFile("file"), "was a file");
  EXPECT_EQ(ReadFile("folder/inner"), "was inside");
}

TEST_F(RunUndoTest, AFolderWithSomebodyElsesFileStays) {
  Record("file", Entry{"was a file"}, std::nullopt);
  Change("file/inner", std::nullopt, Entry{"x"});
  Put("file/other", {"a person's"});
  const UndoReport report = Undo();
  EXPECT_THAT(report.restored, ElementsAre("file/inner"));
  EXPECT_THAT(report.kept, ElementsAre("file"));
  EXPECT_EQ(ReadFile("file/other"), "a person's");
}

TEST_F(RunUndoTest, NeverLeavesTheWorkspace) {
  dir_.Write("outside/victim", "x");
  Record("../outside/victim", std::nullopt, Entry{"x"});
  Record(dir_.Path("outside/victim"), std::nullopt, Entry{"x"});
  Record("door/victim", std::nullopt, Entry{"x"});
  ASSERT_EQ(symlink("../outside", At("door").c_str()), 0);
  Record(".git", std::nullopt, Entry{"x"});
  dir_.Write("work/.git", "x");
  Record("", std::nullopt, Entry{"x"});
  const UndoReport report = Undo();
  EXPECT_THAT(report.restored, IsEmpty());
  EXPECT_EQ(report.kept.size(), 5u);
  EXPECT_EQ(dir_.Read("outside/victim"), "x");
  EXPECT_TRUE(Exists(".git"));
}

TEST_F(RunUndoTest, WhatTheStoreLostIsNamedAndTheRestGoesOn) {
  Record("lost", Entry{"never stored"}, Entry{"new"}, /*keep_blob=*/false);
  Put("lost", {"new"});
  Change("fine", Entry{"old"}, Entry{"new"});
  const UndoReport report = Undo();
  EXPECT_THAT(report.lost, ElementsAre("lost"));
  EXPECT_THAT(report.restored, ElementsAre("fine"));
  EXPECT_EQ(ReadFile("lost"), "new");
}

// Lets everything through until one kind of call on one path is made to fail.
class FailingFileSystem : public FileSystem {
 public:
  explicit FailingFileSystem(std::string fail) : fail_(std::move(fail)) {}
  absl::StatusOr<std::string> ReadFile(const std::string& p, size_t max) override {
    return disk_->ReadFile(p, max);
  }
  absl::Status WriteFile(const std::string& p, absl::string_view b, int m, bool s) override {
    return disk_->WriteFile(p, b, m, s);
  }
  absl::Status AppendFile(const std::string& p, absl::string_view b, bool s) override {
    return disk_->AppendFile(p, b, s);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (to == fail_) return absl::ResourceExhaustedError("disk full, says the test");
    return disk_->Rename(from, to);
  }
  absl::Status RemoveFile(const std::string& p) override { return disk_->RemoveFile(p); }
  absl::Status MakeDirs(const std::string& p) override { return disk_->MakeDirs(p); }
  absl::Status RemoveDir(const std::string& p) override { return disk_->RemoveDir(p); }
  absl::Status SyncDir(const std::string& p) override { return disk_->SyncDir(p); }

 private:
  FileSystem* disk_ = DiskFileSystem();
  std::string fail_;
};

TEST_F(RunUndoTest, SaysWhichPathsHoldSomethingElse) {
  Change("same", std::nullopt, Entry{"x"});
  Change("other", std::nullopt, Entry{"x"});
  Change("executable", std::nullopt, Entry{"x", 0100755});
  Change("gone", std::nullopt, Entry{"x"});
  Change("deleted", Entry{"x"}, std::nullopt);
  Put("other", {"y"});
  Put("executable", {"x"});
  ASSERT_EQ(unlink(At("gone").c_str()), 0);
  EXPECT_THAT(NoLongerHeld(dir_.Path("work"), changes_),
              ::testing::UnorderedElementsAre("other", "executable", "gone"));
}

TEST_F(RunUndoTest, TheRecordIsReadAsItWasWritten) {
  ASSERT_TRUE(ReadUndone(run_).ok());
  EXPECT_FALSE(ReadUndone(run_)->has_value());
  EXPECT_FALSE(WasUndone(run_));
  const absl::Time time = absl::FromUnixSeconds(1'700'000'000);
  const UndoReport report = {{"a"}, {"b"}, {"c"}, {"branch x"}, {"branch y: why"}};
  ASSERT_TRUE(WriteUndone(DiskFileSystem(), run_, {time, true, report}).ok());
  EXPECT_TRUE(WasUndone(run_));
  const auto record = ReadUndone(run_);
  ASSERT_TRUE(record.ok() && record->has_value()) << record.status();
  EXPECT_EQ((*record)->time, time);
  EXPECT_TRUE((*record)->begun_again);
  EXPECT_EQ((*record)->report.restored, report.restored);
  EXPECT_EQ((*record)->report.kept, report.kept);
  EXPECT_EQ((*record)->report.lost, report.lost);
  EXPECT_EQ((*record)->report.removed, report.removed);
  EXPECT_EQ((*record)->report.left, report.left);
}

TEST_F(RunUndoTest, ARecordThatSaysNothingStillMarksTheRun) {
  for (const char* text : {"", "{", "[]", R"({"time": 7, "restored": [1], "kept": {}})"}) {
    ASSERT_TRUE(WriteFileAtomically(DiskFileSystem(), run_.undone, text, 0600).ok());
    const auto record = ReadUndone(run_);
    ASSERT_TRUE(record.ok() && record->has_value()) << text;
    EXPECT_GT((*record)->time, absl::FromUnixSeconds(1'700'000'000)) << text;
    EXPECT_TRUE((*record)->report.restored.empty()) << text;
  }
}

TEST_F(RunUndoTest, AFailureTakesEverythingBack) {
  Put("target", {"t"});
  Change("a", Entry{"old a"}, Entry{"new a"});
  Change("added", std::nullopt, Entry{"x"});
  Change("link made", std::nullopt, Entry{"target", 0120777});
  Change("z", Entry{"old z"}, Entry{"new z"});
  FailingFileSystem failing(At("z"));
  const auto report = UndoChanges(&failing, &store_, *ReadChanges(run_), dir_.Path("work"));
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(ReadFile("a"), "new a");
  EXPECT_EQ(ReadFile("z"), "new z");
  EXPECT_EQ(ReadFile("added"), "x");
  EXPECT_EQ(Link("link made"), "target");
  EXPECT_EQ(Undo().restored.size(), 4u);
  EXPECT_EQ(ReadFile("z"), "old z");
}

}  // namespace
}  // namespace stile
