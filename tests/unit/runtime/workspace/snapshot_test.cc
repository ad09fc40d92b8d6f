#include "runtime/workspace/snapshot.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A wall clock that can be set ahead, so that stamps of just now count as safely old.
class ShiftedClock : public Clock {
 public:
  absl::Time Now() override { return SystemClock()->Now() + shift; }
  absl::Duration Monotonic() override { return SystemClock()->Monotonic(); }
  bool Sleep(absl::Duration duration, const Cancellation* cancellation) override {
    return SystemClock()->Sleep(duration, cancellation);
  }
  absl::Duration shift;
};

class SnapshotTest : public ::testing::Test {
 protected:
  Snapshot Take(const Snapshot& previous = Snapshot(), const IgnoreRules& rules = IgnoreRules()) {
    SnapshotTaker taker(dir_.path(), rules, &clock_);
    auto snapshot = taker.Take(previous);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.ok() ? *std::move(snapshot) : Snapshot();
  }
  static std::vector<std::string> Paths(const Snapshot& snapshot) {
    std::vector<std::string> paths;
    for (const FileRecord& file : snapshot.files()) paths.push_back(file.path);
    return paths;
  }
  static std::vector<std::string> Changes(const Snapshot& before, const Snapshot& after) {
    std::vector<std::string> lines;
    for (const FileChange& change : DiffSnapshots(before, after)) {
      const char* mark = change.kind == FileChange::Kind::kAdded      ? "+"
                         : change.kind == FileChange::Kind::kModified ? "~"
                                                                      : "-";
      lines.push_back(absl::StrCat(mark, change.path));
    }
    return lines;
  }

  ShiftedClock clock_;
  TempDir dir_;
};

TEST_F(SnapshotTest, RecordsEveryFileByContent) {
  dir_.Write("b", "content");
  dir_.Write("a/x", "");
  dir_.Write("a.txt", "1");
  dir_.MakeDir("empty");
  const Snapshot snapshot = Take();
  EXPECT_THAT(Paths(snapshot), ElementsAre("a.txt", "a/x", "b"));
  const FileRecord* file = snapshot.Find("b");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->hash, Sha256Of("content"));
  EXPECT_EQ(file->size, 7u);
  EXPECT_EQ(file->kind, FileRecord::Kind::kRegular);
  EXPECT_FALSE(snapshot.Contains("a"));
  EXPECT_FALSE(snapshot.Contains("c"));
  EXPECT_THAT(Take().files(), ::testing::SizeIs(3));
}

TEST_F(SnapshotTest, TheRootHashIsAsDocumented) {
  EXPECT_EQ(Take().RootHash(), Sha256Hex(""));
  dir_.Write("b", "content");
  dir_.Write("a", "run");
  ASSERT_EQ(chmod(dir_.Path("a").c_str(), 0755), 0);
  ASSERT_EQ(symlink("b", dir_.Path("c").c_str()), 0);
  std::string text;
  absl::StrAppend(&text, "100755 ", Sha256Hex("run"), " a", absl::string_view("\0", 1));
  absl::StrAppend(&text, "100644 ", Sha256Hex("content"), " b", absl::string_view("\0", 1));
  absl::StrAppend(&text, "120000 ", Sha256Hex("b"), " c", absl::string_view("\0", 1));
  EXPECT_EQ(Take().RootHash(), Sha256Hex(text));
}

TEST_F(SnapshotTest, NoticesEveryKindOfChange) {
  dir_.Write("same", "1");
  dir_.Write("edited", "1");
  dir_.Write("deleted", "1");
  dir_.Write("mode", "1");
  dir_.Write("becomes-link", "1");
  dir_.Write("becomes-folder", "1");
  const Snapshot before = Take();
  dir_.Write("edited", "2");
  dir_.Write("added", "1");
  ASSERT_EQ(unlink(dir_.Path("deleted").c_str()), 0);
  ASSERT_EQ(chmod(dir_.Path("mode").c_str(), 0755), 0);
  ASSERT_EQ(unlink(dir_.Path("becomes-link").c_str()), 0);
  ASSERT_EQ(symlink("1", dir_.Path("becomes-link").c_str()), 0);
  ASSERT_EQ(unlink(dir_.Path("becomes-folder").c_str()), 0);
  dir_.Write("becomes-folder/x", "1");
  const Snapshot after = Take(before);
  EXPECT_THAT(Changes(before, after), ElementsAre("+added", "-becomes-folder", "+becomes-folder/x",
                                                  "~becomes-link", "-deleted", "~edited", "~mode"));
  EXPECT_NE(before.RootHash(), after.RootHash());
  EXPECT_THAT(Changes(after, after), IsEmpty());
  EXPECT_THAT(Changes(after, Take()), IsEmpty());
}

TEST_F(SnapshotTest, AnEditWithSizeAndMtimePutBackIsNoticed) {
  dir_.Write("a", "one");
  struct stat info {};
  ASSERT_EQ(stat(dir_.Path("a").c_str(), &info), 0);
  const Snapshot before = Take();
  dir_.Write("a", "two");
  const timespec times[] = {info.st_atim, info.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, dir_.Path("a").c_str(), times, 0), 0);
  EXPECT_THAT(Changes(before, Take(before)), ElementsAre("~a"));
}

// Takes as fast as it can: many edits happen within one tick of the file system's clock.
TEST_F(SnapshotTest, EditsWithinOneClockTickAreNoticed) {
  dir_.Write("a", "0");
  SnapshotTaker taker(dir_.path(), IgnoreRules(), &clock_);
  Snapshot previous = *taker.Take(Snapshot());
  for (int i = 1; i < 300; ++i) {
    const int fd = open(dir_.Path("a").c_str(), O_WRONLY);
    const char digit = static_cast<char>('0' + i % 10);
    ASSERT_EQ(pwrite(fd, &digit, 1, 0), 1);
    close(fd);
    const auto next = taker.Take(previous);
    ASSERT_TRUE(next.ok());
    ASSERT_EQ(next->Find("a")->hash, Sha256Of(std::string(1, digit))) << i;
    previous = *next;
  }
}

TEST_F(SnapshotTest, UnchangedOldFilesAreNotReadAgain) {
  dir_.Write("a", "one");
  clock_.shift = absl::Hours(1);
  const Snapshot before = Take();
  // A record with the same stat and a made-up hash shows whether the file is read.
  std::vector<FileRecord> forged = before.files();
  forged[0].hash = Sha256Of("made up");
  EXPECT_EQ(Take(Snapshot(forged, before.taken_at_ns())).Find("a")->hash, Sha256Of("made up"));
  // Taken at the time of the last edit, the same record is not believed.
  EXPECT_EQ(Take(Snapshot(forged, forged[0].mtime_ns)).Find("a")->hash, Sha256Of("one"));
}

TEST_F(SnapshotTest, AFileFromTheFutureIsAlwaysReadAgain) {
  dir_.Write("a", "one");
  const timespec future{4'000'000'000, 0};
  const timespec times[] = {future, future};
  ASSERT_EQ(utimensat(AT_FDCWD, dir_.Path("a").c_str(), times, 0), 0);
  clock_.shift = absl::Hours(1);
  std::vector<FileRecord> forged = Take().files();
  forged[0].hash = Sha256Of("made up");
  EXPECT_EQ(Take(Snapshot(forged, absl::ToUnixNanos(clock_.Now()))).Find("a")->hash,
            Sha256Of("one"));
}

TEST_F(SnapshotTest, SymlinksAreRecordedAndNeverFollowed) {
  TempDir outside;
  outside.Write("secret", "x");
  ASSERT_EQ(symlink(outside.path().c_str(), dir_.Path("folder").c_str()), 0);
  ASSERT_EQ(symlink("/no/such/place", dir_.Path("dangling").c_str()), 0);
  ASSERT_EQ(symlink(".", dir_.Path("loop").c_str()), 0);
  const Snapshot before = Take();
  EXPECT_THAT(Paths(before), ElementsAre("dangling", "folder", "loop"));
  EXPECT_EQ(before.Find("dangling")->kind, FileRecord::Kind::kSymlink);
  EXPECT_EQ(before.Find("dangling")->hash, Sha256Of("/no/such/place"));
  ASSERT_EQ(unlink(dir_.Path("dangling").c_str()), 0);
  ASSERT_EQ(symlink("/no/other/plac", dir_.Path("dangling").c_str()), 0);
  EXPECT_THAT(Changes(before, Take(before)), ElementsAre("~dangling"));
}

TEST_F(SnapshotTest, SpecialFilesAreRecordedAndNeverOpened) {
  ASSERT_EQ(mkfifo(dir_.Path("fifo").c_str(), 0600), 0);  // opening it would wait for a writer
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = dir_.Path("socket");
  ASSERT_LT(socket_path.size(), sizeof(address.sun_path));
  std::copy(socket_path.begin(), socket_path.end(), address.sun_path);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const Snapshot snapshot = Take();
  close(fd);
  EXPECT_THAT(Paths(snapshot), ElementsAre("fifo", "socket"));
  EXPECT_EQ(snapshot.Find("fifo")->kind, FileRecord::Kind::kSpecial);
  EXPECT_EQ(snapshot.Find("fifo")->hash, Sha256Of(""));
  EXPECT_FALSE(snapshot.Find("fifo")->SameContent(*snapshot.Find("socket")));
}

TEST_F(SnapshotTest, GitFoldersAndFilesAreNotEntered) {
  dir_.Write(".git/config", "x");
  dir_.Write("sub/.git/config", "x");
  dir_.Write("tree/.git", "gitdir: elsewhere");
  dir_.Write("sub/kept", "x");
  dir_.Write(".gitignore", "");
  EXPECT_THAT(Paths(Take()), ElementsAre(".gitignore", "sub/kept"));
}

TEST_F(SnapshotTest, LeavesIgnoredFilesOutButNotTrackedOnes) {
  dir_.Write(".gitignore", "out/\n*.log\n");
  dir_.Write("out/a/tracked", "x");
  dir_.Write("out/a/other", "x");
  dir_.Write("out/b", "x");
  dir_.Write("x.log", "x");
  dir_.Write("kept.log", "x");
  dir_.Write("src/a", "x");
  const auto rules = IgnoreRules::Load(dir_.path(), {}, {"out/a/tracked", "kept.log"});
  ASSERT_TRUE(rules.ok());
  const Snapshot first = Take(Snapshot(), *rules);
  EXPECT_THAT(Paths(first), ElementsAre(".gitignore", "kept.log", "out/a/tracked", "src/a"));
  // Neither a later .gitignore nor a previous snapshot under other rules makes a difference.
  dir_.Write(".gitignore", "src/\n!out/\n");
  EXPECT_THAT(Paths(Take(Take(), *rules)),
              ElementsAre(".gitignore", "kept.log", "out/a/tracked", "src/a"));
}

TEST_F(SnapshotTest, NamesMayHoldAnyBytes) {
  const std::vector<std::string> names = {"\n",   "\xff\xfe", " ",          "\"q\"",
                                          "a\\b", "a\tb",     "dir\n/\x80", "\xc3\xa4"};
  for (const std::string& name : names) dir_.Write(name, name);
  const Snapshot snapshot = Take();
  const std::set<std::string> sorted(names.begin(), names.end());
  EXPECT_THAT(Paths(snapshot), ::testing::ElementsAreArray(sorted));
  const auto parsed = ParseSnapshot(SerializeSnapshot(snapshot));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(Paths(*parsed), Paths(snapshot));
}

TEST_F(SnapshotTest, TheTextFormIsLossless) {
  dir_.Write("a", "x");
  ASSERT_EQ(symlink("a", dir_.Path("l").c_str()), 0);
  ASSERT_EQ(mkfifo(dir_.Path("p").c_str(), 0600), 0);
  Snapshot snapshot = Take();
  std::vector<FileRecord> records = snapshot.files();
  records[0].inode = ~uint64_t{0};
  records[0].mtime_ns = -5;
  snapshot = Snapshot(records, 1234567890123456789);
  const std::string text = SerializeSnapshot(snapshot);
  const auto parsed = ParseSnapshot(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->taken_at_ns(), 1234567890123456789);
  EXPECT_EQ(parsed->RootHash(), snapshot.RootHash());
  EXPECT_EQ(parsed->files()[0].inode, ~uint64_t{0});
  EXPECT_EQ(parsed->files()[0].mtime_ns, -5);
  EXPECT_EQ(SerializeSnapshot(*parsed), text);
}

TEST_F(SnapshotTest, DamagedTextIsRefusedWithItsLine) {
  dir_.Write("a", "x");
  dir_.Write("b", "x");
  const std::string text = SerializeSnapshot(Take());
  const size_t second_line = text.find('\n') + 1;
  const size_t third_line = text.find('\n', second_line) + 1;
  const std::vector<std::string> damaged = {
      "",
      "x",
      "{}",
      text.substr(0, second_line),
      text.substr(0, third_line),
      text.substr(0, text.size() - 5),
      text.substr(0, second_line) + text.substr(third_line) +
          text.substr(second_line, third_line - second_line),
      absl::StrReplaceAll(text, {{"\"path\":\"a\"", "\"path\":\"/a\""}}),
      absl::StrReplaceAll(text, {{"\"path\":\"a\"", "\"path\":\"\""}}),
      absl::StrReplaceAll(text, {{"\"path\":\"a\"", "\"pathBase64\":\"*\""}}),
      absl::StrReplaceAll(text, {{"regular", "irregular"}}),
      absl::StrReplaceAll(text, {{"\"size\":1", "\"size\":-1"}}),
      absl::StrReplaceAll(text, {{"\"size\":1", "\"size\":1.5"}}),
      absl::StrReplaceAll(text, {{"\"sha256\":\"", "\"sha256\":\"z"}})};
  for (const std::string& bad : damaged) {
    const auto parsed = ParseSnapshot(bad);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << bad;
  }
  EXPECT_THAT(std::string(ParseSnapshot(damaged[8]).status().message()), HasSubstr("line 2"));
}

TEST_F(SnapshotTest, AMissingWorkspaceIsAnErrorThatNamesIt) {
  SnapshotTaker taker(dir_.Path("missing"), IgnoreRules(), &clock_);
  const auto snapshot = taker.Take(Snapshot());
  EXPECT_TRUE(absl::IsNotFound(snapshot.status()));
  EXPECT_THAT(std::string(snapshot.status().message()), HasSubstr("missing"));
}

TEST_F(SnapshotTest, AFileThatCannotBeReadIsAnErrorThatNamesIt) {
  dir_.Write("a/secret", "x");
  ASSERT_EQ(chmod(dir_.Path("a/secret").c_str(), 0), 0);
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  SnapshotTaker taker(dir_.path(), IgnoreRules(), &clock_);
  if (geteuid() == 0) setfsuid(65534);  // root may read everything; nobody may not
  const auto snapshot = taker.Take(Snapshot());
  if (geteuid() == 0) setfsuid(0);
  EXPECT_TRUE(absl::IsPermissionDenied(snapshot.status()));
  EXPECT_THAT(std::string(snapshot.status().message()), HasSubstr("a/secret"));
}

// A series of random edits: the incremental snapshot always equals one from scratch.
TEST_F(SnapshotTest, IncrementalSnapshotsEqualFreshOnes) {
  std::mt19937 random(7);
  const auto below = [&random](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  const auto path = [&below] {
    return absl::StrCat("d", below(4), "/e", below(4), "/f", below(40));
  };
  for (int i = 0; i < 300; ++i) dir_.Write(path(), absl::StrCat(i));
  clock_.shift = absl::Hours(1);
  SnapshotTaker taker(dir_.path(), IgnoreRules(), &clock_);
  Snapshot snapshot = *taker.Take(Snapshot());
  for (int round = 0; round < 40; ++round) {
    for (int edits = below(4); edits > 0; --edits) {
      const std::string victim = path();
      if (below(2) == 0) {
        dir_.Write(victim, absl::StrCat(round, edits, below(1000)));
      } else {
        unlink(dir_.Path(victim).c_str());
      }
    }
    const auto next = taker.Take(snapshot);
    ASSERT_TRUE(next.ok());
    const Snapshot fresh = Take();
    ASSERT_EQ(next->RootHash(), fresh.RootHash()) << round;
    ASSERT_TRUE(
        std::is_sorted(next->files().begin(), next->files().end(),
                       [](const FileRecord& a, const FileRecord& b) { return a.path < b.path; }));
    snapshot = *next;
  }
}

TEST_F(SnapshotTest, ManyAndLargeFilesOfOneFolder) {
  for (int i = 0; i < 200; ++i) dir_.Write(absl::StrCat("f", i), absl::StrCat(i));
  const std::string large(3'000'000, 'x');
  dir_.Write("large", large);
  const Snapshot snapshot = Take();
  EXPECT_EQ(snapshot.files().size(), 201u);
  EXPECT_EQ(snapshot.Find("large")->hash, Sha256Of(large));
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(snapshot.Find(absl::StrCat("f", i))->hash, Sha256Of(absl::StrCat(i)));
  }
}

}  // namespace
}  // namespace stile
