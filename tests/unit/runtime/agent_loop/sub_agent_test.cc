#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/runtime/agent_loop/executor_harness.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

size_t CountOf(const Harness& h, EventType type) {
  return static_cast<size_t>(std::count_if(
      h.events.begin(), h.events.end(), [type](const Event& event) { return event.type == type; }));
}

TEST(SubAgentTest, HasAConversationOfItsOwnAndItsAnswerComesBack) {
  Harness h;
  const RunResult result = h.Run({Spawn("look", "code-review"), CallReply("test.say"),
                                  FinishReply("it is in a"), FinishReply("done")});
  EXPECT_EQ(result.outcome, RunState::kUnchanged) << result.message;
  EXPECT_EQ(result.answer, "done");
  EXPECT_EQ(result.turns, 4) << "one budget";
  EXPECT_EQ(result.usage.input_tokens, 40);
  EXPECT_EQ(result.tools_used.at("test.say"), 1);
  const auto& requests = h.model->requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[1].messages[0].text, "sub-system");
  EXPECT_EQ(requests[1].messages[1].text, "sub-task: look");
  ASSERT_EQ(requests[3].messages.size(), 4U) << "system, task, call, answer";
  EXPECT_EQ(requests[3].messages[3].text, "it is in a");
}

TEST(SubAgentTest, AWaitPastTheLimitOfTimeEndsTheRunWithIt) {
  Harness h;
  h.model_end = ForLater(absl::UnavailableError(""), /*is_past_end=*/true, "wait");
  const RunResult result = h.Run({Spawn("look")});
  EXPECT_EQ(result.reason, StopReason::kWallTime);
  EXPECT_EQ(result.message, absl::StrCat("wait; then go on with `stile runs resume ",
                                         h.world.events.run_id(), "`"));
  EXPECT_EQ(h.model->requests().size(), 2U);
  EXPECT_EQ(CountOf(h, EventType::kAgentFinished), 0U) << "it goes on when the run is resumed";
}

TEST(SubAgentTest, WhatItChangedHasToPassBeforeItFinishes) {
  Harness h;
  const RunResult result = h.Run({Spawn("change"), Edit("a/file.word", "1"), FinishReply("early"),
                                  Validate(), FinishReply("late"), FinishReply("done")});
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  EXPECT_THAT(result.changed, ElementsAre("a/file.word"));
  EXPECT_EQ(h.model->requests()[5].messages.back().text, "late");
  EXPECT_THAT(h.model->requests()[3].messages.back().text, HasSubstr("Cannot finish"));
  EXPECT_EQ(CountOf(h, EventType::kGateAccepted), 1U) << "for the run";
}

TEST(SubAgentTest, WhatItLeftBrokenKeepsTheRunFromItsEnd) {
  Harness h;
  ModelReply gave_up = FinishReply("too hard");
  gave_up.tool_calls[0].arguments["status"] = "gave_up";
  const RunResult result =
      h.Run({Spawn("change"), Edit("a/file.word", "bad"), gave_up, FinishReply("done")});
  EXPECT_EQ(result.reason, StopReason::kModelError) << "refused, and the script is at its end";
  EXPECT_THAT(h.model->requests()[3].messages.back().text, HasSubstr("gave up: too hard"));
  EXPECT_THAT(h.LastObservation(), HasSubstr("Cannot finish"));
}

TEST(SubAgentTest, WhoChangedNothingMayAnswerWhileOtherWorkIsUnfinished) {
  Harness h;
  const RunResult result = h.Run({Edit("a/file.word", "bad"), Spawn("look"), FinishReply("line 1"),
                                  Edit("a/file.word", "1"), Validate(), FinishReply("done")});
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
}

TEST(SubAgentTest, FailuresCountForTheRun) {
  Harness h;
  std::vector<ModelReply> replies = {Edit("a/file.word", "bad"), Validate(), Validate(),
                                     Spawn("mend")};
  for (int i = 0; i < 9; ++i) {
    replies.push_back(Edit("a/file.word", absl::StrCat("bad", i)));
    replies.push_back(Validate());
  }
  const RunResult result = h.Run(replies);
  EXPECT_EQ(result.reason, StopReason::kGateFailed);
  EXPECT_EQ(CountOf(h, EventType::kValidationStarted), 5U);
}

TEST(SubAgentTest, LimitsOfTheRunEndItAndItsOwnLimitDoesNot) {
  Harness own;
  own.sub_agent_turns = 2;
  const RunResult result = own.Run({Spawn("look"), CallReply("test.say", {{"length", 1}}),
                                    CallReply("test.say", {{"length", 2}}), FinishReply("done")});
  EXPECT_EQ(result.outcome, RunState::kUnchanged) << result.message;
  EXPECT_THAT(own.LastObservation(), HasSubstr("max_turns"));
  Harness shared;
  shared.options.limits.max_turns = 3;
  EXPECT_EQ(shared
                .Run({Spawn("look"), CallReply("test.say", {{"length", 1}}),
                      CallReply("test.say", {{"length", 2}}), FinishReply("done")})
                .reason,
            StopReason::kMaxTurns);
  EXPECT_EQ(shared.model->requests().size(), 3U);
}

TEST(SubAgentTest, SpawnsNobodyAndHasAProfileThatExists) {
  Harness h;
  h.Run({Spawn("look", "nobody"), Spawn("look"), Spawn("deeper"), FinishReply("no"),
         FinishReply("done")});
  EXPECT_THAT(h.model->requests()[1].messages.back().text, HasSubstr("no profile"));
  EXPECT_THAT(h.model->requests()[3].messages.back().text, HasSubstr("nobody is here"));
}

TEST(SubAgentTest, EachCallHasTheNumberOfItsTurn) {
  Harness h;
  h.Run({Together({Spawn("look"), Spawn("again")}), CallReply("test.say"), FinishReply("one"),
         FinishReply("two"), FinishReply("done")});
  std::vector<std::string> ids;
  std::set<int64_t> turns;
  for (const Event& event : h.events) {
    if (event.type == EventType::kAgentStarted) ids.push_back(event.data["agent"]);
    if (event.type == EventType::kToolFinished && !event.data.contains("agent")) {
      turns.insert(JsonInt(event.data, "turn").value_or(0));
    }
  }
  EXPECT_THAT(ids, ElementsAre("1.0", "1.1"));
  EXPECT_EQ(turns, std::set<int64_t>{1});
}

// A run cut off after any event goes on to the same end, without asking the model again for what it
// already said.
TEST(SubAgentTest, IsResumedWhereItWas) {
  const std::vector<ModelReply> replies = {Edit("b/file.word", "1"),
                                           Spawn("change"),
                                           Edit("a/file.word", "bad"),
                                           Validate(),
                                           FinishReply("early"),
                                           Edit("a/file.word", "1"),
                                           Validate(),
                                           FinishReply("late"),
                                           Spawn("look"),
                                           FinishReply("fine"),
                                           Validate(),
                                           FinishReply("done")};
  GateSettings settings;  // a gate that starts anew has seen nothing pass
  settings.on_finish = GateSettings::OnFinish::kValidate;
  Harness whole;
  const RunResult expected = whole.Run(replies, settings);
  ASSERT_EQ(expected.outcome, RunState::kSucceeded) << expected.message;
  Event start;
  start.type = EventType::kRunStarted;
  std::vector<Event> journal = {start};
  journal.insert(journal.end(), whole.events.begin(), whole.events.end());
  for (size_t cut = 1; cut < journal.size(); ++cut) {
    Harness h;
    const std::vector<Event> part(journal.begin(), journal.begin() + static_cast<long>(cut));
    SCOPED_TRACE(absl::StrCat("cut after ", cut, ": ", EventTypeName(part.back().type)));
    auto history = ReplayEvents(part);
    ASSERT_TRUE(history.ok()) << history.status();
    h.world.Start();
    h.world.resume_from = h.world.gate->baseline();
    for (const Event& event : part) {
      if (event.type == EventType::kToolStarted && event.data["tool"] == "test.edit") {
        h.world.workspace.Write(std::string(event.data["arguments"]["file"]),
                                std::string(event.data["arguments"]["text"]));
      }
    }
    const size_t said = history->CountTurns();
    h.options.history = *std::move(history);
    const RunResult result =
        h.Run({replies.begin() + static_cast<long>(said), replies.end()}, settings);
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.answer, "done");
    EXPECT_EQ(result.turns, expected.turns);
    EXPECT_EQ(result.usage.input_tokens, expected.usage.input_tokens);
    EXPECT_EQ(h.world.workspace.Read("a/file.word"), "1");
    if (h.model->requests().empty()) continue;
    // The agent that was asked last before the cut is asked with its own words.
    EXPECT_EQ(h.model->requests()[0].messages[0].text,
              whole.model->requests()[said].messages[0].text);
    EXPECT_EQ(h.model->requests()[0].messages[1].text,
              whole.model->requests()[said].messages[1].text);
  }
}

}  // namespace
}  // namespace stile
