#include "runtime/journal/run_prune.h"

#include <utime.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/journal/journal.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RunPruneTest : public ::testing::Test {
 protected:
  // A run that begins one hour after the one before it.
  RunPaths Make(const std::string& id, bool finished = true, const std::string& retry_of = "") {
    const RunPaths run = *store_.Create(id);
    auto writer = JournalWriter::Open(run.journal);
    EXPECT_TRUE(writer.ok());
    EventStream events(id, &clock_);
    events.AddSink([&](const Event& event) { (*writer)->Append(event); });
    clock_.Advance(absl::Hours(1));
    Json start = {{"task", "Rename it"}, {"workspace", dir_.Path("w")}};
    if (!retry_of.empty()) start["retry_of"] = retry_of;
    events.Emit(EventType::kRunStarted, start);
    if (finished) {
      events.Emit(EventType::kRunFinished, {{"outcome", "failed"},
                                            {"reason", "gate_failed"},
                                            {"exit_code", 3},
                                            {"answer", ""},
                                            {"changed", Json::array()},
                                            {"certificate", nullptr},
                                            {"usage", Json::object()},
                                            {"turns", 1},
                                            {"failures", 5},
                                            {"duration_ms", 1}});
    }
    return run;
  }
  // A stored content that the run changed from.
  Sha256Digest Change(const RunPaths& run, const std::string& content) {
    const Sha256Digest hash = *store_.blobs()->Put(content);
    RecordedChange change;
    change.path = "a.txt";
    change.before = hash;
    EXPECT_TRUE(WriteChanges(DiskFileSystem(), run, {change}).ok());
    return hash;
  }
  PruneReport Prune(const PruneOptions& options = {}) {
    auto report = PruneRuns(&store_, options);
    EXPECT_TRUE(report.ok()) << report.status();
    return *std::move(report);
  }
  std::vector<std::string> Ids() {
    std::vector<std::string> ids;
    const auto list = store_.List(/*with_steps=*/true);
    EXPECT_TRUE(list.ok()) << list.status();
    for (const RunSummary& run : *list) ids.push_back(run.id);
    return ids;
  }

  TempDir dir_;
  FakeClock clock_;
  RunStore store_{DiskFileSystem(), dir_.Path("state")};
};

TEST_F(RunPruneTest, AnEmptyStoreIsFine) {
  const PruneReport report = Prune();
  EXPECT_THAT(report.removed, IsEmpty());
  EXPECT_EQ(report.bytes, 0u);
  EXPECT_FALSE(report.is_partial);
  EXPECT_FALSE(dir_.Exists("state"));
}

TEST_F(RunPruneTest, FinishedRunsGoByAgeAndNumber) {
  for (const char* id : {"r1", "r2", "r3", "r4"}) Make(id);
  const absl::Time third = (*store_.List(false))[1].started;
  PruneOptions options;
  options.before = third;
  options.keep = 1;
  const PruneReport report = Prune(options);
  ASSERT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.removed[0].id, "r1");
  EXPECT_GT(report.bytes, 0u);
  EXPECT_THAT(Ids(), ElementsAre("r4", "r3", "r2"));
  options.before = absl::InfiniteFuture();
  Prune(options);
  EXPECT_THAT(Ids(), ElementsAre("r4"));
}

TEST_F(RunPruneTest, ADryRunRemovesNothing) {
  const Sha256Digest hash = Change(Make("r1"), "old");
  PruneOptions options;
  options.dry_run = true;
  const PruneReport report = Prune(options);
  EXPECT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.contents, 1u);
  EXPECT_THAT(Ids(), ElementsAre("r1"));
  EXPECT_TRUE(store_.blobs()->Has(hash));
  EXPECT_EQ(Prune().bytes, report.bytes);
}

TEST_F(RunPruneTest, RunsThatCanBeResumedStayUnlessAsked) {
  Make("r1", /*finished=*/false);
  Prune();
  EXPECT_THAT(Ids(), ElementsAre("r1"));
  PruneOptions options;
  options.interrupted = true;
  Prune(options);
  EXPECT_THAT(Ids(), IsEmpty());
}

TEST_F(RunPruneTest, ARunThatIsBeginningStays) {
  const RunPaths run = *store_.Create("r1");
  Prune();
  EXPECT_THAT(Ids(), ElementsAre("r1"));
  const utimbuf long_ago{1000, 1000};
  ASSERT_EQ(utime(run.folder.c_str(), &long_ago), 0);
  Prune();
  EXPECT_THAT(Ids(), IsEmpty());
}

TEST_F(RunPruneTest, ContentsThatKeptRunsAndWorkspacesNeedStay) {
  const Sha256Digest gone = Change(Make("r1"), "of the first");
  const Sha256Digest kept = Change(Make("r2"), "of the second");
  const Sha256Digest remembered = *store_.blobs()->Put("before a failed run");
  const Sha256Digest baseline = *store_.blobs()->Put("of the baseline");
  dir_.MakeDir("w");
  const std::string memory = *store_.WorkspaceDir(dir_.Path("w"));
  ASSERT_TRUE(DiskFileSystem()
                  ->WriteFile(memory + "/memory.json",
                              absl::StrCat("{\"pending\":{\"YQ==\":\"", ToHex(remembered), "\"}}"),
                              0600, false)
                  .ok());
  ASSERT_TRUE(
      DiskFileSystem()->WriteFile(store_.Find("r2")->baseline, ToHex(baseline), 0600, false).ok());
  PruneOptions options;
  options.keep = 1;
  const PruneReport report = Prune(options);
  EXPECT_EQ(report.contents, 1u);
  EXPECT_FALSE(store_.blobs()->Has(gone));
  EXPECT_TRUE(store_.blobs()->Has(kept));
  EXPECT_TRUE(store_.blobs()->Has(remembered));
  EXPECT_TRUE(store_.blobs()->Has(baseline));
  EXPECT_FALSE(report.is_partial);
}

TEST_F(RunPruneTest, WhileARunIsAtWorkContentsStay) {
  const Sha256Digest hash = Change(Make("r1"), "of the first");
  const RunPaths busy = Make("r2", /*finished=*/false);
  {
    const auto lock = RunLock::Acquire(busy);
    ASSERT_TRUE(lock.ok());
    const PruneReport report = Prune();
    EXPECT_TRUE(report.is_partial);
    EXPECT_THAT(Ids(), ElementsAre("r2"));
    EXPECT_TRUE(store_.blobs()->Has(hash));
  }
  EXPECT_EQ(Prune().contents, 1u);
  EXPECT_FALSE(store_.blobs()->Has(hash));
}

TEST_F(RunPruneTest, AFinishedRunThatAProcessWorksOnStays) {
  const RunPaths run = Make("r1");
  const auto lock = RunLock::Acquire(run);  // it is being undone
  ASSERT_TRUE(lock.ok());
  const PruneReport report = Prune();
  ASSERT_EQ(report.kept.size(), 1u);
  EXPECT_EQ(report.kept[0].reason, "a process works on it");
  EXPECT_THAT(Ids(), ElementsAre("r1"));
}

TEST_F(RunPruneTest, AStoryGoesWithItsSteps) {
  Make("s1");
  Make("s1.1");
  Make("s1.1.2");
  const PruneReport report = Prune();
  ASSERT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.removed[0].id, "s1");
  EXPECT_THAT(Ids(), IsEmpty());
}

TEST_F(RunPruneTest, AStoryStaysWithItsWorkingTree) {
  Make("s1");
  Make("s1.1");
  dir_.Write("state/worktrees/s1.1/a.txt", "work");
  const PruneReport report = Prune();
  EXPECT_THAT(report.removed, IsEmpty());
  ASSERT_EQ(report.kept.size(), 1u);
  EXPECT_EQ(report.kept[0].reason,
            absl::StrCat("its working tree is still there: ", dir_.Path("state/worktrees/s1.1")));
  EXPECT_EQ(dir_.Read("state/worktrees/s1.1/a.txt"), "work");
  EXPECT_EQ(Ids().size(), 2u);
}

TEST_F(RunPruneTest, WhatAKeptRunRetriedStays) {
  Make("s1");
  Make("s2", /*finished=*/true, "s1");
  Make("s3", /*finished=*/true, "s2");
  PruneOptions options;
  options.keep = 1;
  const PruneReport report = Prune(options);
  EXPECT_THAT(report.removed, IsEmpty());
  EXPECT_EQ(report.kept.size(), 2u);
  EXPECT_EQ(Ids().size(), 3u);
}

TEST_F(RunPruneTest, OnlyTheMemoryOfLostWorkspacesGoes) {
  dir_.MakeDir("w");
  dir_.MakeDir("lost");
  const std::string here = *store_.WorkspaceDir(dir_.Path("w"));
  const std::string lost = *store_.WorkspaceDir(dir_.Path("lost"));
  dir_.MakeDir("state/edits/" + BaseName(lost));
  ASSERT_TRUE(RemoveTree(dir_.Path("lost")).ok());
  EXPECT_EQ(Prune().workspaces, 1u);
  EXPECT_TRUE(DirectoryExists(here));
  EXPECT_FALSE(DirectoryExists(lost));
  EXPECT_FALSE(dir_.Exists("state/edits/" + BaseName(lost)));
  // A kept run may go on there.
  Make("r1", /*finished=*/false);
  ASSERT_TRUE(RemoveTree(dir_.Path("w")).ok());
  EXPECT_EQ(Prune().workspaces, 0u);
}

TEST_F(RunPruneTest, WhatAKilledCallLeftGoes) {
  dir_.Write("state/runs/.r1/journal.jsonl", "x");
  EXPECT_EQ(Prune().bytes, 1u);
  EXPECT_FALSE(dir_.Exists("state/runs/.r1"));
}

TEST_F(RunPruneTest, ADamagedRunGoesToo) {
  dir_.Write("state/runs/r1/journal.jsonl", "no event\n");
  Prune();
  EXPECT_THAT(Ids(), IsEmpty());
}

}  // namespace
}  // namespace stile
