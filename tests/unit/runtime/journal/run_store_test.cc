#include "runtime/journal/run_store.h"

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/journal/journal.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunStoreTest : public ::testing::Test {
 protected:
  RunPaths Make(const std::string& id) {
    auto run = store_.Create(id);
    EXPECT_TRUE(run.ok()) << run.status();
    return *run;
  }
  // A run with the events of an ordinary one, as far as `finished`.
  RunPaths MakeRun(const std::string& id, bool finished, bool story = false) {
    const RunPaths run = Make(id);
    auto writer = JournalWriter::Open(run.journal);
    EXPECT_TRUE(writer.ok());
    EventStream events(id, &clock_);
    events.AddSink([&](const Event& event) { (*writer)->Append(event); });
    events.Emit(EventType::kRunStarted, {{"task", "Rename it"}, {"workspace", "/w"}});
    if (story) events.Emit(EventType::kStoryStarted, {{"story", "T"}, {"steps", Json::array()}});
    clock_.Advance(absl::Seconds(2));
    events.Emit(EventType::kTurnStarted, {{"turn", 3}});
    if (finished) {
      events.Emit(EventType::kRunFinished,
                  {{"outcome", "failed"},
                   {"reason", "gate_failed"},
                   {"exit_code", 3},
                   {"answer", std::string(200'000, 'a')},
                   {"changed", {"a.go", "b.go"}},
                   {"certificate", nullptr},
                   {"usage", {{"input_tokens", 10}, {"output_tokens", 5}, {"cost_usd", 0.25}}},
                   {"turns", 4},
                   {"failures", 5},
                   {"duration_ms", 1500}});
    }
    return run;
  }
  std::vector<std::string> Ids(bool with_steps) {
    std::vector<std::string> ids;
    const auto list = store_.List(with_steps);
    EXPECT_TRUE(list.ok()) << list.status();
    for (const RunSummary& run : *list) ids.push_back(run.id);
    return ids;
  }

  TempDir dir_;
  FakeClock clock_;
  RunStore store_{DiskFileSystem(), dir_.Path("state")};
};

TEST_F(RunStoreTest, RefusesIdsThatAreNoNames) {
  for (const std::string id : {"", "..", "../x", "a/b", ".hidden", "-x", "a b", "a\nb", "\xff"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(store_.Create(id).status())) << id;
    EXPECT_TRUE(absl::IsInvalidArgument(store_.Find(id).status())) << id;
  }
  EXPECT_FALSE(store_.Create(std::string(1000, 'a')).ok());
  EXPECT_FALSE(store_.Create(std::string("a\0b", 3)).ok());
}

TEST_F(RunStoreTest, OneOfManyCreatorsGetsAnId) {
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      RunStore store(DiskFileSystem(), dir_.Path("state"));
      const auto run = store.Create("same");
      if (run.ok()) ++made;
      EXPECT_TRUE(run.ok() || absl::IsAlreadyExists(run.status())) << run.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST_F(RunStoreTest, FindsByUniquePrefixAndPrefersAStoryToItsSteps) {
  for (const char* id : {"20261121T1-aa", "20261121T1-aa.1", "20261121T1-aa.2", "20261121T2-bb"}) {
    Make(id);
  }
  EXPECT_EQ(store_.Find("20261121T1")->id, "20261121T1-aa");
  EXPECT_EQ(store_.Find("20261121T1-aa.2")->id, "20261121T1-aa.2");
  EXPECT_EQ(store_.Find("20261121T2")->id, "20261121T2-bb");
  const auto ambiguous = store_.Find("2026");
  EXPECT_TRUE(absl::IsInvalidArgument(ambiguous.status()));
  EXPECT_THAT(std::string(ambiguous.status().message()), HasSubstr("20261121T2-bb"));
  const auto missing = store_.Find("20261121T2-bc");
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("nearest: 20261121T2-bb"));
  RunStore empty(DiskFileSystem(), dir_.Path("elsewhere"));
  EXPECT_THAT(std::string(empty.Find("x").status().message()), HasSubstr("no runs yet"));
}

TEST_F(RunStoreTest, SummarizesFromTheEndsOfTheJournal) {
  const auto summary = store_.Summarize(MakeRun("r1", true));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->kind, "run");
  EXPECT_EQ(summary->task, "Rename it");
  EXPECT_EQ(summary->outcome, "failed");
  EXPECT_EQ(summary->reason, "gate_failed");
  EXPECT_THAT(summary->changed, ElementsAre("a.go", "b.go"));
  EXPECT_EQ(summary->turns, 4);
  EXPECT_EQ(summary->tokens, 15);
  EXPECT_EQ(summary->cost_usd, 0.25);
  EXPECT_EQ(summary->duration, absl::Milliseconds(1500));
}

TEST_F(RunStoreTest, AnUnfinishedRunIsRunningWhileItsLockIsHeldAndInterruptedAfter) {
  const RunPaths run = MakeRun("r1", false);
  {
    const auto lock = RunLock::Acquire(run);
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_EQ(store_.Summarize(run)->outcome, "running");
    EXPECT_TRUE(absl::IsFailedPrecondition(RunLock::Acquire(run).status()));
  }
  const auto summary = store_.Summarize(run);
  EXPECT_EQ(summary->outcome, "interrupted");
  EXPECT_EQ(summary->turns, 3);
  EXPECT_EQ(summary->duration, absl::Seconds(2));
  EXPECT_TRUE(RunLock::Acquire(run).ok());
}

TEST_F(RunStoreTest, AwaitsALockThatIsAboutToBeReleased) {
  const RunPaths run = MakeRun("r1", false);
  auto lock = RunLock::Acquire(run);
  ASSERT_TRUE(lock.ok()) << lock.status();
  RunLock::AwaitRelease(run, absl::Milliseconds(20));
  EXPECT_TRUE(RunLock::IsHeld(run)) << "it gives up";
  std::thread holder([&lock] {
    absl::SleepFor(absl::Milliseconds(50));
    lock = absl::CancelledError("released");
  });
  RunLock::AwaitRelease(run, absl::Minutes(1));
  EXPECT_FALSE(RunLock::IsHeld(run));
  holder.join();
}

TEST_F(RunStoreTest, ListsNewestFirstWithoutStepsAndWithDamagedRuns) {
  MakeRun("b-story", true, true);
  MakeRun("b-story.1", true);
  MakeRun("a.dotted.name", true);
  const RunPaths damaged = Make("c");
  dir_.Write("state/runs/c/journal.jsonl", "garbage\n");
  dir_.Write("state/runs/not a run/x", "");
  EXPECT_THAT(Ids(true), ElementsAre("c", "a.dotted.name", "b-story.1", "b-story"));
  EXPECT_THAT(Ids(false), ElementsAre("c", "a.dotted.name", "b-story"));
  const auto list = store_.List(false);
  EXPECT_EQ((*list)[0].outcome, "damaged");
  EXPECT_EQ((*list)[2].kind, "story");
  // A run that was made a moment ago has no event yet.
  const auto lock = RunLock::Acquire(damaged);
  EXPECT_EQ((*store_.List(false))[0].outcome, "running");
}

TEST_F(RunStoreTest, ARunThatWasKilledBeforeItBeganIsInterrupted) {
  const RunPaths run = Make("c");
  for (const char* text : {"", "{\"type\": \"run_st"}) {
    if (*text != '\0') dir_.Write("state/runs/c/journal.jsonl", text);
    const auto summary = store_.Summarize(run);
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->outcome, "interrupted");
    EXPECT_EQ(summary->reason, kNotBegun);
  }
  const auto lock = RunLock::Acquire(run);
  EXPECT_EQ(store_.Summarize(run)->outcome, "running");
}

TEST_F(RunStoreTest, KeepsAFolderPerWorkspace) {
  dir_.MakeDir("one");
  dir_.MakeDir("two");
  const auto one = store_.WorkspaceDir(dir_.Path("one"));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(*store_.WorkspaceDir(dir_.Path("two/../one")), *one);
  EXPECT_NE(*store_.WorkspaceDir(dir_.Path("two")), *one);
  EXPECT_TRUE(DirectoryExists(*one));
  EXPECT_FALSE(store_.WorkspaceDir(dir_.Path("none")).ok());
}

TEST_F(RunStoreTest, ChangesSurviveWritingAndReading) {
  const RunPaths run = Make("r1");
  EXPECT_TRUE(absl::IsNotFound(ReadChanges(run).status()));
  const std::vector<RecordedChange> changes = {
      {"plain.txt", Sha256Of("a"), Sha256Of("b"), 0100644, 0100755},
      {"bytes \xff\xfe\n\"'", std::nullopt, Sha256Of(""), 0, 0120777},
      {"gone", Sha256Of("x"), std::nullopt, 0100600, 0}};
  ASSERT_TRUE(WriteChanges(DiskFileSystem(), run, changes).ok());
  const auto read = ReadChanges(run);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 3u);
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ((*read)[i].path, changes[i].path);
    EXPECT_EQ((*read)[i].before, changes[i].before);
    EXPECT_EQ((*read)[i].after, changes[i].after);
    EXPECT_EQ((*read)[i].before_mode, changes[i].before_mode);
    EXPECT_EQ((*read)[i].after_mode, changes[i].after_mode);
  }
}

TEST_F(RunStoreTest, DamagedChangesAreDataLoss) {
  const RunPaths run = Make("r1");
  for (const std::string text :
       {"", "[]", "{\"version\":2,\"changes\":[]}", "{\"version\":1,\"changes\":{}}",
        "{\"version\":1,\"changes\":[1]}",
        "{\"version\":1,\"changes\":[{\"path\":\"a\",\"before\":\"zz\",\"after\":null,"
        "\"before_mode\":0,\"after_mode\":0}]}",
        "{\"version\":1,\"changes\":[{\"path\":\"a\",\"before\":null,\"after\":null,"
        "\"before_mode\":-1,\"after_mode\":0}]}"}) {
    dir_.Write("state/runs/r1/changes.json", text);
    EXPECT_EQ(ReadChanges(run).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace stile
