#include "runtime/journal/journal.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

Event Log(uint64_t seq, absl::string_view text) {
  Event event;
  event.type = EventType::kLog;
  event.seq = seq;
  event.time = absl::FromUnixSeconds(1'763'719'200);
  event.run_id = "r1";
  event.data = {{"level", "info"}, {"text", std::string(text)}};
  return event;
}

std::string LineOf(uint64_t seq, absl::string_view text) {
  return DumpJson(ToJson(Log(seq, text))) + "\n";
}

class JournalTest : public ::testing::Test {
 protected:
  std::string path() const { return dir_.Path("journal.jsonl"); }
  void Append(const Event& event) {
    auto writer = JournalWriter::Open(path());
    ASSERT_TRUE(writer.ok()) << writer.status();
    (*writer)->Append(event);
    ASSERT_TRUE((*writer)->Sync().ok());
  }
  TempDir dir_;
};

TEST_F(JournalTest, BackgroundSyncsEndBeforeTheWriterDoes) {
  FakeClock clock;
  EventStream stream("r1", &clock);
  auto writer = JournalWriter::Open(path());
  ASSERT_TRUE(writer.ok()) << writer.status();
  stream.AddSink([&](const Event& event) { (*writer)->Append(event); });
  for (int turn = 1; turn <= 20; ++turn) {
    stream.Emit(EventType::kTurnStarted, {{"turn", turn}});
    ASSERT_TRUE((*writer)->SyncSoon().ok());
  }
  ASSERT_TRUE((*writer)->Sync().ok());
  ASSERT_TRUE((*writer)->SyncSoon().ok());
  writer->reset();
  EXPECT_EQ(ReadJournal(path())->events.size(), 20u);
}

TEST_F(JournalTest, KeepsEventsThroughAStreamAndLeavesShownOnlyOnesOut) {
  FakeClock clock;
  EventStream stream("r1", &clock);
  auto writer = JournalWriter::Open(path());
  ASSERT_TRUE(writer.ok()) << writer.status();
  stream.AddSink([&](const Event& event) { (*writer)->Append(event); });
  stream.Emit(EventType::kLog, {{"level", "info"}, {"text", "line\nbreak \xff"}});
  stream.Emit(EventType::kModelDelta, {{"text", "shown only"}});
  stream.Emit(EventType::kTurnStarted, {{"turn", 1}});
  ASSERT_TRUE((*writer)->Sync().ok());
  const auto contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok()) << contents.status();
  ASSERT_EQ(contents->events.size(), 2u);
  EXPECT_FALSE(contents->torn);
  EXPECT_EQ(contents->events[0].data["text"], "line\nbreak \xEF\xBF\xBD");
  EXPECT_EQ(contents->events[1].seq, 3u);
  struct stat info {};
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0u) << "conversations are for the user alone";
}

TEST_F(JournalTest, LeavesATornLastLineOutAndContinuesInItsPlace) {
  const std::string whole = LineOf(2, "second");
  dir_.Write("journal.jsonl", LineOf(1, "first") + whole.substr(0, whole.size() / 2));
  auto contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_TRUE(contents->torn);
  EXPECT_EQ(contents->events.size(), 1u);
  Append(Log(3, "third"));
  contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_FALSE(contents->torn);
  ASSERT_EQ(contents->events.size(), 2u);
  EXPECT_EQ(contents->events[1].seq, 3u);
}

TEST_F(JournalTest, ALastLineWithoutItsNewlineIsTornEvenWhenItParses) {
  std::string text = LineOf(1, "first") + LineOf(2, "second");
  text.pop_back();
  dir_.Write("journal.jsonl", text);
  const auto contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok());
  EXPECT_TRUE(contents->torn);
  EXPECT_EQ(contents->events.size(), 1u);
}

TEST_F(JournalTest, ZerosAndGarbageAtTheEndAreTorn) {
  for (const std::string& tail : {std::string(5000, '\0'), std::string("\x01\xff garbage\n"),
                                  std::string("{}\n"), std::string("\n")}) {
    dir_.Write("journal.jsonl", LineOf(1, "first") + tail);
    auto contents = ReadJournal(path());
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_TRUE(contents->torn);
    Append(Log(2, "next"));
    contents = ReadJournal(path());
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_FALSE(contents->torn);
    EXPECT_EQ(contents->events.size(), 2u);
  }
}

TEST_F(JournalTest, NamesTheLineOfDamageInTheMiddle) {
  dir_.Write("journal.jsonl", LineOf(1, "a") + "\xde\xad\xbe\xef\n" + LineOf(2, "b"));
  const auto contents = ReadJournal(path());
  EXPECT_EQ(contents.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(contents.status().message()), HasSubstr("journal.jsonl:2:"));
  // Also when a torn line follows.
  dir_.Write("journal.jsonl", LineOf(1, "a") + "junk\njunk");
  EXPECT_EQ(ReadJournal(path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(JournalTest, ASequenceThatDoesNotGrowIsDamage) {
  for (const uint64_t next : {1, 2}) {
    dir_.Write("journal.jsonl", LineOf(2, "a") + LineOf(next, "b"));
    const auto contents = ReadJournal(path());
    EXPECT_EQ(contents.status().code(), absl::StatusCode::kDataLoss) << next;
    EXPECT_THAT(std::string(contents.status().message()), HasSubstr(":2:"));
  }
}

TEST_F(JournalTest, ReadsHugeLinesAndDeepValues) {
  Event huge = Log(1, std::string(5 << 20, 'x'));
  Json deep = Json::array();
  for (int i = 0; i < 250; ++i) deep = Json::array({deep});
  huge.data["deep"] = deep;
  Append(huge);
  Append(Log(2, "after"));
  const auto contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok()) << contents.status();
  ASSERT_EQ(contents->events.size(), 2u);
  EXPECT_EQ(contents->events[0].data["text"].get<std::string>().size(), size_t{5} << 20);
  const auto ends = ReadJournalEnds(path());
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(ends->first.seq, 1u);
  EXPECT_EQ(ends->last.seq, 2u);
}

TEST_F(JournalTest, EndsAreFoundPastATornLineAndWithOneEvent) {
  dir_.Write("journal.jsonl", LineOf(1, "only"));
  auto ends = ReadJournalEnds(path());
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(ends->second.seq, 1u);
  EXPECT_EQ(ends->last.seq, 1u);
  dir_.Write("journal.jsonl", LineOf(1, "a") + LineOf(2, "b") + LineOf(3, "c") + "{\"torn");
  ends = ReadJournalEnds(path());
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(ends->second.seq, 2u);
  EXPECT_EQ(ends->last.seq, 3u);
  for (const std::string& text : {std::string("\n\n\n"), std::string(100, '\0') + "\n"}) {
    dir_.Write("journal.jsonl", text);
    EXPECT_EQ(ReadJournalEnds(path()).status().code(), absl::StatusCode::kDataLoss);
  }
  // Killed before, or in, its first line.
  for (const std::string& text : {std::string(), std::string("no newline")}) {
    dir_.Write("journal.jsonl", text);
    EXPECT_EQ(ReadJournalEnds(path()).status().code(), absl::StatusCode::kNotFound);
  }
}

TEST_F(JournalTest, MissingAndSpecialFilesAreErrors) {
  EXPECT_TRUE(absl::IsNotFound(ReadJournal(path()).status()));
  EXPECT_FALSE(ReadJournal(dir_.path()).ok());
  ASSERT_EQ(mkfifo(dir_.Path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(ReadJournal(dir_.Path("fifo")).ok());
  EXPECT_FALSE(JournalWriter::Open(dir_.Path("fifo")).ok());
  EXPECT_FALSE(JournalWriter::Open(dir_.Path("no/such/folder")).ok());
}

TEST_F(JournalTest, AFullDiskIsKeptAsTheError) {
  // A limit on the size of files stands in for a full disk.
  EXPECT_EXIT(
      {
        signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 2000;
        setrlimit(RLIMIT_FSIZE, &limit);
        auto writer = JournalWriter::Open(path());
        (*writer)->Append(Log(1, "fits"));
        const bool first = (*writer)->status().ok();
        (*writer)->Append(Log(2, std::string(5000, 'x')));
        const bool second = (*writer)->status().ok();
        (*writer)->Append(Log(3, "would fit"));
        _exit(first && !second && !(*writer)->Sync().ok() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  const auto contents = ReadJournal(path());
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_TRUE(contents->torn);
  EXPECT_EQ(contents->events.size(), 1u);
}

}  // namespace
}  // namespace stile
