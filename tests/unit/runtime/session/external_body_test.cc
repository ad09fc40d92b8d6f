#include "runtime/session/external_body.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/journal/journal.h"
#include "runtime/session/gated_session.h"
#include "runtime/session/killed_run.h"
#include "tests/support/gate_world.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A workspace of GateWorld's language, in which others write files.
class ExternalBodyTest : public ::testing::Test {
 protected:
  ExternalBodyTest()
      : runner_(NewLocalProcessRunner()), store_(DiskFileSystem(), world_.state.path()) {
    services_.languages = &world_.languages;
    services_.validators = world_.validators.get();
    services_.conditions = &world_.conditions;
    services_.runner = runner_.get();
    services_.file_system = DiskFileSystem();
    services_.clock = SystemClock();
    services_.store = &store_;
    services_.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", world_.state.path()}};
    services_.sandbox.mode = SandboxSettings::Mode::kOff;
    world_.workspace.Write("word.project", "");
    world_.workspace.Write("a.word", "one\n");
    request_.run_id = "20260101-000000-aaaa";
    request_.workspace = world_.workspace.path();
    request_.rules_sha256 = "rules";
  }

  void Open() {
    ExternalBody body(ExternalBody::Step::kOpen, {"claude", "claude:4711", Json::array({"level"})});
    const absl::StatusOr<RunResult> result = StartSession(services_, request_, &body);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->stays_open);
  }

  absl::StatusOr<RunResult> GoOn(ExternalBody::Step step) {
    ExternalBody body(step);
    absl::StatusOr<PastSession> past = OpenPastSession(services_, Folder());
    if (!past.ok()) return past.status();
    return ContinueSession(services_, request_, *std::move(past), &body);
  }
  RunResult Finish() {
    const absl::StatusOr<RunResult> result = GoOn(ExternalBody::Step::kFinish);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : RunResult();
  }

  RunPaths Folder() { return store_.Find(request_.run_id).value(); }
  std::string Outcome() { return store_.Summarize(Folder())->outcome; }

  GateWorld world_;
  std::unique_ptr<ProcessRunner> runner_;
  RunStore store_;
  SessionServices services_;
  SessionRequest request_;
};

TEST_F(ExternalBodyTest, WhatOthersWriteIsItsWork) {
  Open();
  EXPECT_EQ(Outcome(), "open");
  world_.workspace.Write("a.word", "two\n");
  const RunResult result = Finish();
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  EXPECT_THAT(result.changed, ElementsAre("a.word"));
  EXPECT_FALSE(result.stays_open);
  ASSERT_TRUE(result.certificate.has_value());
  const std::string certificate =
      *DiskFileSystem()->ReadFile(result.certificate->path, kMaxFileBytes);
  EXPECT_THAT(certificate, HasSubstr("\"claude\""));
  EXPECT_EQ(Outcome(), "succeeded");
}

TEST_F(ExternalBodyTest, ARefusalLeavesItOpenForTheMending) {
  Open();
  world_.workspace.Write("a.word", "bad\n");
  const RunResult refused = Finish();
  EXPECT_EQ(refused.exit_code(), 3);
  EXPECT_TRUE(refused.stays_open);
  EXPECT_THAT(refused.message, HasSubstr("a.word:1"));
  EXPECT_THAT(refused.message, Not(HasSubstr("code.validate")));
  EXPECT_EQ(refused.failures, 1);
  EXPECT_EQ(Outcome(), "open");
  world_.workspace.Write("a.word", "two\n");
  EXPECT_EQ(Finish().outcome, RunState::kSucceeded);
}

TEST_F(ExternalBodyTest, FailuresCountOverAllFinishesUntilTheyEndIt) {
  Open();
  for (int i = 1; i <= 4; ++i) {
    world_.workspace.Write("a.word", "bad " + std::to_string(i) + "\n");
    const RunResult refused = Finish();
    EXPECT_TRUE(refused.stays_open) << i;
    EXPECT_EQ(refused.failures, i);
  }
  world_.workspace.Write("a.word", "bad 5\n");
  const RunResult last = Finish();
  EXPECT_FALSE(last.stays_open);
  EXPECT_EQ(last.reason, StopReason::kGateFailed);
  EXPECT_EQ(Outcome(), "failed");
  const auto again = GoOn(ExternalBody::Step::kFinish);
  EXPECT_EQ(again.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(again.status().message(), HasSubstr("stile gate begin"));
}

// A verdict that stands is not asked for again, so that no validation fails; the refusals count.
TEST_F(ExternalBodyTest, RefusalsCountAlsoWithoutValidations) {
  Open();
  world_.workspace.Write("a.word", "bad\n");
  for (int i = 1; i <= 4; ++i) EXPECT_TRUE(Finish().stays_open) << i;
  const RunResult last = Finish();
  EXPECT_FALSE(last.stays_open);
  EXPECT_EQ(last.exit_code(), 3);
}

TEST_F(ExternalBodyTest, NothingChangedIsAccepted) {
  Open();
  EXPECT_EQ(Finish().outcome, RunState::kUnchanged);
}

TEST_F(ExternalBodyTest, GivenUpItAsksNoGate) {
  Open();
  world_.workspace.Write("a.word", "bad\n");
  const absl::StatusOr<RunResult> result = GoOn(ExternalBody::Step::kGiveUp);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->reason, StopReason::kGaveUp);
  EXPECT_EQ(result->exit_code(), 1);
  EXPECT_EQ(Outcome(), "failed");
}

// A session that is open has no heartbeat: nothing tells when others wrote.
TEST_F(ExternalBodyTest, EveryDifferenceIsItsOwnWhileItIsOpen) {
  Open();
  ASSERT_TRUE(DiskFileSystem()->RemoveFile(Folder().alive).ok());
  DiskFileSystem()->WriteFile(Folder().alive, "", 0600, false).IgnoreError();
  world_.workspace.Write("a.word", "two\n");
  world_.workspace.Write("b.word", "new\n");
  const auto changes = ChangesOfKilledRun(&store_, runner_.get(), Folder());
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->size(), 2u);
  const auto ground = TakeUpBaseline(&store_, runner_.get(), Folder());
  ASSERT_TRUE(ground.ok()) << ground.status();
  EXPECT_THAT(ground->foreign, IsEmpty());
}

TEST_F(ExternalBodyTest, IgnoreFilesThatAreWrittenMeanwhileHideNothing) {
  Open();
  world_.workspace.Write("a.word", "bad\n");
  world_.workspace.Write("b.word", "bad\n");
  world_.workspace.Write(".gitignore", "*.word\n");
  const RunResult result = Finish();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_THAT(result.changed, ElementsAre(".gitignore", "a.word", "b.word"));
}

TEST_F(ExternalBodyTest, AFolderThatIsALinkNowIsNotJudged) {
  Open();
  const std::string folder = request_.workspace;
  ASSERT_TRUE(DiskFileSystem()->Rename(folder, folder + ".moved").ok());
  ASSERT_EQ(symlink((folder + ".moved").c_str(), folder.c_str()), 0);
  const auto result = GoOn(ExternalBody::Step::kFinish);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_EQ(unlink(folder.c_str()), 0);
  EXPECT_EQ(GoOn(ExternalBody::Step::kFinish).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(DiskFileSystem()->Rename(folder + ".moved", folder).ok());
  EXPECT_EQ(Finish().outcome, RunState::kUnchanged);
}

TEST_F(ExternalBodyTest, ItsStartTellsWhoOpenedIt) {
  Open();
  const Json start = ReadJournal(Folder().journal)->events.front().data;
  ASSERT_TRUE(IsExternal(start));
  const ExternalWork work = ExternalWorkOf(start);
  EXPECT_EQ(work.by, "claude");
  EXPECT_EQ(work.key, "claude:4711");
  EXPECT_EQ(work.settings, Json::array({"level"}));
  EXPECT_FALSE(IsExternal(Json::object()));
}

}  // namespace
}  // namespace stile
