#include "runtime/agent_loop/react_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/runtime/agent_loop/executor_harness.h"
#include "tests/unit/runtime/agent_loop/gate_oracle.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReactExecutorTest, FinishWithoutValidationIsRefusedThenAccepted) {
  Harness h;
  const RunResult result =
      h.Run({Edit("a/file.word", "1"), FinishReply("early"), Validate(), FinishReply("late")});
  EXPECT_EQ(result.outcome, RunState::kSucceeded);
  EXPECT_EQ(result.answer, "late");
  EXPECT_EQ(result.turns, 4);
  EXPECT_THAT(result.changed, ElementsAre("a/file.word"));
  EXPECT_EQ(result.usage.input_tokens, 40);
  EXPECT_EQ(result.tools_used.at("test.edit"), 1);
  EXPECT_THAT(h.model->requests()[2].messages.back().text, HasSubstr("Cannot finish"));
}

TEST(ReactExecutorTest, FixLoop) {
  Harness h;
  const RunResult result = h.Run({Edit("a/file.word", "bad"), Validate(), Edit("a/file.word", "1"),
                                  Validate(), FinishReply()});
  EXPECT_EQ(result.outcome, RunState::kSucceeded);
  EXPECT_EQ(result.failures, 0);
}

TEST(ReactExecutorTest, FiveFailuresEndTheRunThoughItNeverTriedToFinish) {
  Harness h;
  std::vector<ModelReply> replies;
  for (int i = 0; i < 9; ++i) {
    replies.push_back(Edit("a/file.word", absl::StrCat("bad", i)));
    replies.push_back(Validate());
  }
  const RunResult result = h.Run(replies);
  EXPECT_EQ(result.reason, StopReason::kGateFailed);
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_EQ(result.turns, 10);
  EXPECT_THAT(result.message, HasSubstr("bad4"));
}

TEST(ReactExecutorTest, FinishBesideAnEditIsJudgedAfterItInBothOrders) {
  for (const bool finish_first : {true, false}) {
    Harness h;
    std::vector<ModelReply> parts = {Edit("a/file.word", "1"), FinishReply()};
    if (finish_first) std::swap(parts[0], parts[1]);
    const RunResult result = h.Run({Together(parts)});
    EXPECT_EQ(result.reason, StopReason::kModelError) << "refused, and the cassette is at its end";
    EXPECT_THAT(h.LastObservation(), HasSubstr("Cannot finish"));
  }
}

TEST(ReactExecutorTest, ValidateBeforeAnEditInOneReplyDoesNotCoverTheEdit) {
  Harness h;
  h.Run(
      {Edit("a/file.word", "1"), Together({Validate(), Edit("a/file.word", "2")}), FinishReply()});
  EXPECT_THAT(h.LastObservation(), HasSubstr("Cannot finish"));
}

TEST(ReactExecutorTest, EveryCallOfAReplyIsAnswered) {
  Harness h;
  h.Run({Together({FinishReply(), Edit("a/file.word", "1"), FinishReply(), Validate()})});
  std::set<std::string> answered;
  for (const Event& event : h.events) {
    if (event.type == EventType::kToolFinished) answered.insert(event.data["call"].dump());
  }
  EXPECT_EQ(answered.size(), 3u) << "the accepted finish ends the run";
}

TEST(ReactExecutorTest, ATextWithoutACallIsAFinishUnlessItWasCutOff) {
  Harness h;
  ModelReply cut = TextReply("I was about to");
  cut.finish_reason = FinishReason::kLength;
  const RunResult result = h.Run({cut, TextReply("all is well")});
  EXPECT_EQ(result.outcome, RunState::kUnchanged);
  EXPECT_EQ(result.answer, "all is well");
  EXPECT_EQ(result.turns, 2);
}

TEST(ReactExecutorTest, ThreeUnparsableRepliesInARowEndTheRun) {
  Harness h;
  ModelReply garbled = TextReply("finish finish finish");
  garbled.unparsable = "Answer in the form …";
  const RunResult result = h.Run({garbled, garbled, Validate(), garbled, garbled, garbled});
  EXPECT_EQ(result.reason, StopReason::kUnparsable);
  EXPECT_EQ(result.turns, 6);
}

TEST(ReactExecutorTest, GaveUpEndsWithoutTheGate) {
  Harness h;
  const RunResult result =
      h.Run({Edit("a/file.word", "bad"),
             CallReply("finish", {{"answer", "cannot"}, {"status", "gave_up"}})});
  EXPECT_EQ(result.reason, StopReason::kGaveUp);
  EXPECT_EQ(result.exit_code(), 1);
}

TEST(ReactExecutorTest, MalformedAndUnknownCallsAreObservations) {
  Harness h;
  ModelReply half = CallReply("test.edit");
  half.tool_calls[0].malformed = "the arguments are not JSON: unexpected end";
  const RunResult result =
      h.Run({half, CallReply("file.wirte"), Edit("a/x.md", ""), FinishReply()});
  EXPECT_TRUE(result.ok());
  EXPECT_THAT(h.model->requests()[1].messages.back().text, HasSubstr("not JSON"));
  EXPECT_THAT(h.model->requests()[2].messages.back().text, HasSubstr("file.wirte"));
}

TEST(ReactExecutorTest, NoToolRunsWhoseStartIsNotInTheJournal) {
  Harness h;
  int calls = 0;
  h.options.before_tool = [&] {
    return ++calls < 2 ? absl::OkStatus() : absl::DataLossError("journal.jsonl: disk full");
  };
  const RunResult result = h.Run({Edit("a/file.word", "1"), Edit("a/file.word", "2")});
  EXPECT_EQ(result.reason, StopReason::kInternal);
  EXPECT_THAT(result.message, HasSubstr("disk full"));
  EXPECT_EQ(h.world.workspace.Read("a/file.word"), "1");
}

TEST(ReactExecutorTest, EqualCallsAreWarnedOfAtThreeAndEndTheRunAtFive) {
  Harness h;
  const RunResult result = h.Run(std::vector<ModelReply>(9, CallReply("test.say")));
  EXPECT_EQ(result.reason, StopReason::kRepetition);
  EXPECT_EQ(result.turns, 5);
  EXPECT_THAT(h.model->requests()[3].messages.back().text, HasSubstr("3 times"));
}

TEST(ReactExecutorTest, AFixLoopIsNoRepetition) {
  Harness h;
  std::vector<ModelReply> replies;
  for (int i = 0; i < 7; ++i) {
    replies.push_back(Edit("a/file.word", absl::StrCat("good", i)));
    replies.push_back(Validate());
  }
  replies.push_back(FinishReply());
  EXPECT_EQ(h.Run(replies).outcome, RunState::kSucceeded);
}

TEST(ReactExecutorTest, EachLimitEndsTheRunAsItsOwnKind) {
  {
    Harness h;
    h.options.limits.max_turns = 2;
    EXPECT_EQ(h.Run({Validate(), CallReply("test.say"), FinishReply()}).reason,
              StopReason::kMaxTurns);
  }
  {
    Harness h;
    h.options.limits.tokens = 30;
    EXPECT_EQ(h.Run({Validate(), CallReply("test.say"), FinishReply()}).reason,
              StopReason::kTokenBudget);
  }
  {
    Harness h;
    h.options.limits.cost_usd = 0.5;
    ModelReply dear = CallReply("test.say");
    dear.usage.cost_usd = 0.6;
    EXPECT_EQ(h.Run({dear, FinishReply()}).reason, StopReason::kCostBudget);
  }
}

TEST(ReactExecutorTest, TokenWarningsComeAtSeventyEightyAndNinetyPercent) {
  Harness h;
  h.options.limits.tokens = 150;
  h.Run({CallReply("test.say", {{"length", 1}}), CallReply("test.say", {{"length", 2}}),
         CallReply("test.say", {{"length", 3}}), CallReply("test.say", {{"length", 4}}),
         CallReply("test.say", {{"length", 5}}), CallReply("test.say", {{"length", 6}}),
         CallReply("test.say", {{"length", 7}}), CallReply("test.say", {{"length", 8}}),
         CallReply("test.say", {{"length", 9}}), FinishReply()});
  std::vector<int> percents;
  for (const Event& event : h.events) {
    if (event.type == EventType::kBudgetWarning) percents.push_back(event.data["percent"]);
  }
  EXPECT_THAT(percents, ElementsAre(70, 80, 90));
}

TEST(ReactExecutorTest, AskMeansDenyWhenNobodyIsThere) {
  Harness h;
  h.options.consent.yes = false;
  h.Run({CallReply("test.say"), FinishReply()});
  EXPECT_THAT(h.LastObservation(), HasSubstr("--yes"));
}

TEST(ReactExecutorTest, ALongResultIsCutAndKeptWhole) {
  Harness h;
  h.Run({CallReply("test.say", {{"length", 100'000}}), FinishReply()});
  EXPECT_LT(h.LastObservation().size(), 70'000u);
  EXPECT_EQ(h.outputs.Read("turn-1-0.txt").size(), 100'000u);
}

TEST(ReactExecutorTest, MessagesAreOnlyAppended) {
  Harness h;
  h.Run({Edit("a/file.word", "1"), FinishReply(), Validate(), FinishReply()});
  const auto& requests = h.model->requests();
  for (size_t i = 1; i < requests.size(); ++i) {
    ASSERT_GT(requests[i].messages.size(), requests[i - 1].messages.size());
    for (size_t k = 0; k < requests[i - 1].messages.size(); ++k) {
      EXPECT_EQ(requests[i].messages[k].text, requests[i - 1].messages[k].text);
    }
  }
}

std::vector<ModelReply> LongConversation() {
  std::vector<ModelReply> replies;
  const auto say = [&](int number, absl::string_view text) {
    ModelReply reply = CallReply("test.say", {{"length", 9'000 + number}});
    reply.text = std::string(text);
    reply.usage = {1'000, 0, 0, 0};
    replies.push_back(std::move(reply));
  };
  ModelReply edit = Edit("a/file.word", "bad");
  edit.text = "First a, then b.";
  replies.push_back(std::move(edit));
  replies.push_back(Validate());
  for (int i = 0; i < 5; ++i) say(i, absl::StrCat("note ", i));
  replies.push_back(Edit("a/file.word", "1"));
  replies.push_back(Validate());
  replies.push_back(FinishReply());
  return replies;
}

TEST(ReactExecutorTest, AConversationThatIsTooLongIsShortenedToWhatIsKnown) {
  Harness h;
  h.options.limits.context_tokens = 1'200;
  const RunResult result = h.Run(LongConversation());
  EXPECT_EQ(result.outcome, RunState::kSucceeded) << result.message;
  std::vector<Json> compactions;
  for (const Event& event : h.events) {
    if (event.type == EventType::kContextCompacted) compactions.push_back(event.data);
  }
  ASSERT_FALSE(compactions.empty());
  const Json& record = compactions.front().at("record");
  EXPECT_EQ(record.at("plan"), "First a, then b.");
  EXPECT_EQ(record.at("changed"), Json({"a/file.word"}));
  EXPECT_EQ(record.at("validation").at("verdict"), "fail");
  EXPECT_FALSE(record.at("validation").at("missing").empty());
  size_t longest = 0;
  for (const ModelRequest& request : h.model->requests()) {
    EXPECT_EQ(request.messages[0].text, "system");
    EXPECT_EQ(request.messages[1].text, "task");
    std::set<std::string> calls;
    size_t bytes = 0;
    for (const Message& message : request.messages) {
      bytes += message.text.size();
      for (const ToolCall& call : message.tool_calls) calls.insert(call.id);
      if (message.role != Role::kTool) continue;
      EXPECT_EQ(calls.count(message.tool_call_id), 1U);
    }
    longest = std::max(longest, bytes);
  }
  EXPECT_LT(longest, 40'000U);
  EXPECT_THAT(h.model->requests().back().messages[2].text, HasSubstr("First a, then b."));
}

TEST(ReactExecutorTest, TokensThatRunShortShortenItToo) {
  Harness h;
  h.options.limits.tokens = 8'000;
  EXPECT_EQ(h.Run(LongConversation()).outcome, RunState::kSucceeded);
  bool compacted = false;
  for (const Event& event : h.events) {
    compacted = compacted || event.type == EventType::kContextCompacted;
  }
  EXPECT_TRUE(compacted);
}

TEST(ReactExecutorTest, AShortenedConversationIsResumedAsItWas) {
  Harness whole;
  whole.options.limits.context_tokens = 1'200;
  ASSERT_EQ(whole.Run(LongConversation()).outcome, RunState::kSucceeded);
  Event start;
  start.type = EventType::kRunStarted;
  std::vector<Event> events = {start};
  events.insert(events.end(), whole.events.begin(), whole.events.end());
  const auto history = ReplayEvents(events);
  ASSERT_TRUE(history.ok()) << history.status();
  // Stopped after each turn: what the model is asked next is what it was asked then.
  for (size_t turns = 3; turns < 8; ++turns) {
    Harness again;
    again.options.limits.context_tokens = 1'200;
    again.options.history = *history;
    again.options.history->main.turns.resize(turns);
    std::vector<ModelReply> rest = LongConversation();
    rest.erase(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(turns));
    again.world.workspace.Write("a/file.word", "bad");
    again.Run(std::move(rest));
    ASSERT_FALSE(again.model->requests().empty());
    const auto& asked = again.model->requests().front().messages;
    const auto& before = whole.model->requests()[turns].messages;
    ASSERT_EQ(asked.size(), before.size()) << turns;
    for (size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i].text, before[i].text) << turns;
  }
}

TEST(ReactExecutorTest, CancellationEndsTheRun) {
  Harness h;
  h.cancellation.Cancel();
  const RunResult result = h.Run({FinishReply()});
  EXPECT_EQ(result.reason, StopReason::kCancelled);
  EXPECT_EQ(result.exit_code(), 130);
}

TEST(ReactExecutorTest, RequestsKnowWhenTheTimeOfTheRunIsUp) {
  Harness unlimited;
  unlimited.Run({FinishReply()});
  EXPECT_EQ(unlimited.model->requests()[0].ends_at, absl::InfiniteDuration());
  Harness limited;
  limited.options.limits.wall_time_s = 1000;
  const absl::Duration before = SystemClock()->Monotonic();
  limited.Run({CallReply("test.say"), FinishReply()});
  const absl::Duration ends_at = limited.model->requests()[0].ends_at;
  EXPECT_GE(ends_at, before + absl::Seconds(1000));
  EXPECT_LE(ends_at, SystemClock()->Monotonic() + absl::Seconds(1000));
  EXPECT_EQ(limited.model->requests()[1].ends_at, ends_at);
}

TEST(ReactExecutorTest, AWaitThatIsTooLongIsAModelErrorAndSaysHowToGoOn) {
  Harness h;
  h.model_end = ForLater(absl::UnavailableError(""), /*is_past_end=*/false, "wait two hours");
  const RunResult result = h.Run({});
  EXPECT_EQ(result.reason, StopReason::kModelError);
  EXPECT_EQ(result.message, absl::StrCat("wait two hours; then go on with `stile runs resume ",
                                         h.world.events.run_id(), "`"));
  EXPECT_TRUE(result.is_final) << "another attempt would not be answered either";
}

TEST(ReactExecutorTest, AModelOutOfReachIsFinalAndOneThatBrokeTheProtocolLaterIsNot) {
  const auto is_final = [](const absl::Status& status, std::vector<ModelReply> before) {
    Harness h;
    h.model_end = status;
    const RunResult result = h.Run(std::move(before));
    EXPECT_EQ(result.reason, StopReason::kModelError);
    return result.is_final;
  };
  EXPECT_TRUE(is_final(absl::UnavailableError("no route"), {}));
  EXPECT_TRUE(is_final(absl::DeadlineExceededError("silent"), {CallReply("test.say")}));
  EXPECT_TRUE(is_final(absl::DataLossError("a page of HTML"), {}));
  EXPECT_FALSE(is_final(absl::DataLossError("cut"), {CallReply("test.say")}));
  EXPECT_FALSE(is_final(absl::OutOfRangeError("the cassette is over"), {}));
}

TEST(ReactExecutorTest, AWaitPastTheLimitOfTimeEndsTheRunAsThatLimitDoes) {
  Harness h;
  h.model_end = ForLater(absl::ResourceExhaustedError(""), /*is_past_end=*/true, "wait");
  const RunResult result = h.Run({});
  EXPECT_EQ(result.reason, StopReason::kWallTime);
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(result.message, HasSubstr("wait; then go on with `stile runs resume "));
  EXPECT_FALSE(result.is_final);
}

TEST(ReactExecutorTest, OnFinishValidateValidatesBeforeItJudges) {
  GateSettings settings;
  settings.on_finish = GateSettings::OnFinish::kValidate;
  Harness good;
  EXPECT_EQ(good.Run({Edit("a/file.word", "1"), FinishReply()}, settings).outcome,
            RunState::kSucceeded);
  Harness bad;
  bad.Run({Edit("a/file.word", "bad"), FinishReply()}, settings);
  EXPECT_THAT(bad.LastObservation(), HasSubstr("Cannot finish"));
  EXPECT_THAT(bad.LastObservation(), HasSubstr("W1"));
}

// A run cut off after any event goes on to the same end, without asking the model again for what it
// already said.
TEST(ReactExecutorTest, AResumedRunEndsAsTheUninterruptedOne) {
  const std::vector<ModelReply> replies = {Edit("a/file.word", "bad"),
                                           Validate(),
                                           Together({Edit("a/file.word", "1"), Validate()}),
                                           FinishReply("first"),
                                           Edit("a/file.word", "2"),
                                           Validate(),
                                           FinishReply("done")};
  Harness whole;
  const RunResult expected = whole.Run(replies);
  ASSERT_EQ(expected.outcome, RunState::kSucceeded) << "accepted at the first finish";
  std::vector<Event> journal;
  Event start;
  start.type = EventType::kRunStarted;
  start.data = {{"task", "task"}, {"workspace", "w"}};
  journal.push_back(start);
  journal.insert(journal.end(), whole.events.begin(), whole.events.end());

  for (size_t cut = 1; cut < journal.size(); ++cut) {
    Harness h;
    const std::vector<Event> part(journal.begin(), journal.begin() + static_cast<long>(cut));
    auto history = ReplayEvents(part);
    ASSERT_TRUE(history.ok()) << history.status();
    h.world.Start();
    h.world.resume_from = h.world.gate->baseline();
    // The workspace as it was left: every edit that had begun has been made.
    for (const Event& event : part) {
      if (event.type == EventType::kToolStarted && event.data["tool"] == "test.edit") {
        h.world.workspace.Write(std::string(event.data["arguments"]["file"]),
                                std::string(event.data["arguments"]["text"]));
      }
    }
    const size_t said = history->main.turns.size();
    h.options.history = *std::move(history);
    const RunResult result = h.Run({replies.begin() + static_cast<long>(said), replies.end()});
    EXPECT_TRUE(result.ok()) << "cut after " << EventTypeName(part.back().type) << " " << cut
                             << ": " << result.message;
    EXPECT_EQ(h.world.workspace.Read("a/file.word").find("bad"), std::string::npos);
  }
}

TEST(ReactExecutorTest, AnInterruptedCallOfAnIdempotentToolIsMadeAgain) {
  for (const bool idempotent : {false, true}) {
    Harness h;
    h.idempotent_edits = idempotent;
    h.world.Start();
    h.world.resume_from = h.world.gate->baseline();
    std::vector<Event> journal(3);
    journal[0].type = EventType::kRunStarted;
    journal[0].data = {{"task", "task"}, {"workspace", "w"}};
    journal[1].type = EventType::kModelResponse;
    journal[1].data = {{"turn", 1}, {"reply", ToJson(Edit("a/file.word", "1"))}};
    journal[2].type = EventType::kToolStarted;
    journal[2].data = {{"turn", 1},
                       {"call", 0},
                       {"tool", "test.edit"},
                       {"arguments", {{"file", "a/file.word"}, {"text", "1"}}},
                       {"workspace_sha256", h.world.gate->current().RootHash()}};
    auto history = ReplayEvents(journal);
    ASSERT_TRUE(history.ok()) << history.status();
    h.options.history = *std::move(history);
    h.world.workspace.Write("a/file.word", "1");
    EXPECT_TRUE(h.Run({Validate(), FinishReply()}).ok());
    const std::string answer = h.model->requests().front().messages.back().text;
    EXPECT_THAT(answer, HasSubstr(idempotent ? "written" : "was interrupted"));
  }
}

// The real executor, gate, files and validators against the oracle.
TEST(ReactExecutorTest, EverySequenceToDepthThreeOnRealFilesAgreesWithTheOracle) {
  constexpr int kDepth = 3;
  int total = 1;
  for (int i = 0; i < kDepth; ++i) total *= oracle::kActionCount;
  const char* const kTexts[] = {"0", "1", "bad"};
  for (int code = 0; code < total; ++code) {
    oracle::World expected;
    std::vector<ModelReply> replies;
    std::string told;
    for (int step = 0, rest = code; step < kDepth; ++step, rest /= oracle::kActionCount) {
      const auto action = static_cast<oracle::Action>(rest % oracle::kActionCount);
      told += oracle::Name(action) + "; ";
      if (expected.outcome == oracle::Outcome::kOpen) expected.Do(action);
      switch (action) {
        case oracle::kEditA0:
        case oracle::kEditA1:
        case oracle::kEditA2:
          replies.push_back(Edit("a/file.word", kTexts[action - oracle::kEditA0]));
          break;
        case oracle::kEditB1:
        case oracle::kEditB2:
          replies.push_back(Edit("b/file.word", kTexts[1 + action - oracle::kEditB1]));
          break;
        case oracle::kSpoil:
          replies.push_back(Edit("a/notes.md", "bad"));
          break;
        case oracle::kMend:
          replies.push_back(Edit("a/notes.md", "0"));
          break;
        case oracle::kValidateDirty:
          replies.push_back(Validate());
          break;
        case oracle::kValidateA:
          replies.push_back(CallReply("code.validate", {{"projectPath", "a"}}));
          break;
        case oracle::kFinish:
          replies.push_back(FinishReply());
          break;
        case oracle::kActionCount:
          break;
      }
    }
    Harness h;
    const RunResult result = h.Run(replies);
    const RunState wanted = expected.outcome == oracle::Outcome::kSucceeded   ? RunState::kSucceeded
                            : expected.outcome == oracle::Outcome::kUnchanged ? RunState::kUnchanged
                                                                              : RunState::kFailed;
    ASSERT_EQ(result.outcome, wanted) << told << result.message;
    ASSERT_EQ(result.failures, expected.failures) << told;
  }
}

}  // namespace
}  // namespace stile
