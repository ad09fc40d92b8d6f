#include "runtime/session/gated_session.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/journal/journal.h"
#include "runtime/session/edits_body.h"
#include "runtime/session/program_body.h"
#include "tests/support/gate_world.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A workspace of GateWorld's language, whose gate is opened by the session itself.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : runner_(NewLocalProcessRunner()), store_(DiskFileSystem(), world_.state.path()) {
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
    request_.on_event = [this](const Event& event) { events_.push_back(event); };
  }

  RunResult Run(const EditSet& edits) {
    EditsBody body("Merge", &edits);
    absl::StatusOr<RunResult> result = StartSession(services_, request_, &body);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : RunResult();
  }

  // A process that goes on with the session of the same id.
  absl::StatusOr<RunResult> Continue(const EditSet& edits) {
    EditsBody body("Merge", &edits);
    absl::StatusOr<PastSession> past = OpenPastSession(services_, Folder());
    if (!past.ok()) return past.status();
    if (past->history.finished) return StoredResult(services_, *past, request_.on_event);
    return ContinueSession(services_, request_, *std::move(past), &body);
  }

  // A shell script as the program; `again` is the script after a refusal, "" : none.
  RunResult RunScript(const std::string& script, const std::string& again = "") {
    GatedProgram program;
    program.argv = {"sh", "-c", script};
    if (!again.empty()) program.again = {"sh", "-c", again, "sh", "{{refusal}}"};
    program.environment = services_.environment;
    ProgramBody body(program);
    absl::StatusOr<RunResult> result = StartSession(services_, request_, &body);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : RunResult();
  }

  RunPaths Folder() { return store_.Find(request_.run_id).value(); }

  // Leaves the journal as a process that was killed after `type` would have.
  void CutJournalAfter(EventType type) {
    const JournalContents journal = ReadJournal(Folder().journal).value();
    std::string kept;
    for (const Event& event : journal.events) {
      kept += DumpJson(ToJson(event)) + "\n";
      if (event.type == type) break;
    }
    ASSERT_TRUE(DiskFileSystem()->WriteFile(Folder().journal, kept, 0600, false).ok());
  }

  std::vector<EventType> Types() const {
    std::vector<EventType> types;
    for (const Event& event : events_) types.push_back(event.type);
    return types;
  }

  GateWorld world_;
  std::unique_ptr<ProcessRunner> runner_;
  RunStore store_;
  SessionServices services_;
  SessionRequest request_;
  std::vector<Event> events_;
};

TEST_F(SessionTest, EditsThatPassEndInASuccessWithACertificate) {
  const RunResult result =
      Run({{{"a.word", "one\n", "two\n"}, {"b.word", std::nullopt, "new\n"}}, ""});
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  EXPECT_THAT(result.changed, ElementsAre("a.word", "b.word"));
  EXPECT_EQ(result.turns, 0);
  ASSERT_TRUE(result.certificate.has_value());
  EXPECT_THAT(*DiskFileSystem()->ReadFile(result.certificate->path, kMaxFileBytes),
              HasSubstr("\"merge\""));
  EXPECT_EQ(world_.workspace.Read("b.word"), "new\n");
  EXPECT_THAT(Types(), Contains(EventType::kGateAccepted));
  EXPECT_THAT(Types(), Not(Contains(EventType::kModelResponse)));
}

TEST_F(SessionTest, EditsThatDoNotBuildEndAsGaveUpWithTheDiagnostics) {
  const RunResult result = Run({{{"a.word", "one\n", "bad\n"}}, ""});
  EXPECT_EQ(result.outcome, RunState::kFailed);
  EXPECT_EQ(result.reason, StopReason::kGaveUp);
  EXPECT_THAT(result.message, HasSubstr("a.word:1"));
  EXPECT_EQ(result.failures, 1);
  EXPECT_FALSE(result.certificate.has_value());
  EXPECT_EQ(world_.workspace.Read("a.word"), "bad\n") << "edits that were made stay";
}

TEST_F(SessionTest, AFileThatIsNotAsExpectedLeavesAllOthersAlone) {
  const RunResult result =
      Run({{{"b.word", std::nullopt, "new\n"}, {"a.word", "another\n", "two\n"}}, ""});
  EXPECT_EQ(result.reason, StopReason::kGaveUp);
  EXPECT_THAT(result.message, HasSubstr("a.word"));
  EXPECT_THAT(result.changed, IsEmpty());
  EXPECT_FALSE(world_.workspace.Exists("b.word"));
}

TEST_F(SessionTest, AnObstacleIsTheMessage) {
  const RunResult result = Run({{}, "a.word was changed by both steps"});
  EXPECT_EQ(result.reason, StopReason::kGaveUp);
  EXPECT_EQ(result.message, "a.word was changed by both steps");
}

TEST_F(SessionTest, FilesThatHoldTheirContentAlreadyAreNoChange) {
  const RunResult result = Run({{{"a.word", "zero\n", "one\n"}}, ""});
  EXPECT_EQ(result.outcome, RunState::kUnchanged) << result.message;
}

TEST_F(SessionTest, ACancelledSessionChangesNothing) {
  Cancellation cancellation;
  cancellation.Cancel();
  services_.cancellation = &cancellation;
  const RunResult result = Run({{{"a.word", "one\n", "two\n"}}, ""});
  EXPECT_EQ(result.reason, StopReason::kCancelled);
  EXPECT_EQ(world_.workspace.Read("a.word"), "one\n");
}

TEST_F(SessionTest, ASessionThatWasKilledAfterItsEditsIsJudgedByTheNextProcess) {
  const EditSet edits = {{{"a.word", "one\n", "two\n"}}, ""};
  Run({{{"a.word", "one\n", "bad\n"}}, ""});
  world_.workspace.Write("a.word", "two\n");
  CutJournalAfter(EventType::kEditsStarted);
  events_.clear();
  const absl::StatusOr<RunResult> result = Continue(edits);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, RunState::kSucceeded) << result->message;
  EXPECT_THAT(result->changed, ElementsAre("a.word"));
  EXPECT_EQ(events_.front().type, EventType::kRunResumed);
}

TEST_F(SessionTest, ASessionThatIsOverGivesItsStoredResult) {
  const EditSet edits = {{{"a.word", "one\n", "two\n"}}, ""};
  Run(edits);
  events_.clear();
  const absl::StatusOr<RunResult> again = Continue(edits);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->outcome, RunState::kSucceeded);
  EXPECT_THAT(Types(), ElementsAre(EventType::kRunFinished));
}

TEST_F(SessionTest, TheJournalHoldsWhatTheTaskAllows) {
  request_.allow = {{"removed_tests", "old/**"}};
  Run({});
  EXPECT_EQ(events_.front().data["allow"], Json({"removed_tests=old/**"}));
}

TEST_F(SessionTest, GoesOnUnderTheSameRulesOnly) {
  const EditSet edits = {{{"a.word", "one\n", "two\n"}}, ""};
  Run(edits);
  CutJournalAfter(EventType::kEditsStarted);
  request_.rules_sha256 = "others";
  const absl::StatusOr<RunResult> result = Continue(edits);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(result.status().message(), HasSubstr("judged by one set of rules"));
}

TEST_F(SessionTest, AProgramWhoseWorkBuildsGetsACertificate) {
  const RunResult result = RunScript("echo two > a.word");
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  EXPECT_THAT(result.changed, ElementsAre("a.word"));
  EXPECT_EQ(result.body_exit_code, 0);
  ASSERT_TRUE(result.certificate.has_value());
  EXPECT_THAT(*DiskFileSystem()->ReadFile(result.certificate->path, kMaxFileBytes),
              HasSubstr("\"program\""));
}

TEST_F(SessionTest, AProgramWhoseWorkDoesNotBuildIsRefused) {
  const RunResult result = RunScript("echo bad > a.word");
  EXPECT_EQ(result.reason, StopReason::kGateFailed);
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_THAT(result.message, HasSubstr("a.word:1"));
  EXPECT_THAT(result.message, Not(HasSubstr("code.validate")));
}

TEST_F(SessionTest, TheRefusalGoesToTheNextProgramAsOneWord) {
  const std::string told = world_.state.path() + "/told";
  const RunResult result =
      RunScript("echo bad > a.word", "printf '%s' \"$1\" > " + told + "; echo two > a.word");
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  EXPECT_THAT(*DiskFileSystem()->ReadFile(told, kMaxFileBytes), HasSubstr("a.word:1"));
}

TEST_F(SessionTest, RefusalsAreToldOnlySoOften) {
  request_.gate.max_failures = 3;
  const std::string calls = world_.state.path() + "/calls";
  const RunResult result =
      RunScript("echo bad > a.word", "printf x >> " + calls + "; echo bad >> a.word");
  EXPECT_EQ(result.reason, StopReason::kGateFailed);
  EXPECT_EQ(*DiskFileSystem()->ReadFile(calls, kMaxFileBytes), "xx");
}

TEST_F(SessionTest, AProgramThatFailsIsNotJudged) {
  const RunResult result = RunScript("echo two > a.word; exit 7");
  EXPECT_EQ(result.reason, StopReason::kGaveUp);
  EXPECT_EQ(result.body_exit_code, 7);
  EXPECT_THAT(result.changed, ElementsAre("a.word"));
  EXPECT_THAT(Types(), Not(Contains(EventType::kGateAccepted)));
}

TEST_F(SessionTest, AProgramThatCannotRunLeavesNoSession) {
  for (const GatedProgram& program :
       {GatedProgram{}, GatedProgram{{"no-such-program"}, {}, services_.environment},
        GatedProgram{{"true"}, {"true"}, services_.environment}}) {
    ProgramBody body(program);
    EXPECT_FALSE(StartSession(services_, request_, &body).ok());
    EXPECT_FALSE(store_.Find(request_.run_id).ok());
  }
}

// A body that cannot begin.
class RefusingBody : public EditsBody {
 public:
  explicit RefusingBody(const EditSet* edits) : EditsBody("", edits) {}
  absl::Status Begin(const RunPaths&, GatedWorkspace*, Json*) override {
    return absl::InvalidArgumentError("no model is chosen");
  }
};

TEST_F(SessionTest, OneThatCannotBeginLeavesNothing) {
  const EditSet edits;
  RefusingBody body(&edits);
  EXPECT_EQ(StartSession(services_, request_, &body).status().message(), "no model is chosen");
  EXPECT_FALSE(store_.Find(request_.run_id).ok());
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(SessionTest, TellsTheRunOfEditsFromThatOfAnAgent) {
  Run({});
  EXPECT_TRUE(IsOfEdits(events_.front().data));
  EXPECT_FALSE(IsOfEdits({{"kind", "run"}, {"model", "openai:gpt-5"}}));
  EXPECT_FALSE(IsOfEdits({{"kind", "story"}, {"model", "merge"}}));
}

}  // namespace
}  // namespace stile
