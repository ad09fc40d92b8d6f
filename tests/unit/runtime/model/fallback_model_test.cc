#include "runtime/model/fallback_model.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

constexpr char kDone[] = R"({"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]})";

FaultReply Done() { return StreamReply({Sse({kDone, "[DONE]"})}); }

TEST(FallbackModelTest, AnswersForTheRestOfTheConversationOnceTheFirstIsOverloaded) {
  ModelSettings settings;
  settings.fallback = "ollama:b";
  ServedModel overloaded("openai:a", std::vector<FaultReply>(13, JsonReply(529, "{}")));
  ServedModel second("openai:b", {Done(), Done()});
  auto model = NewFallbackModel(std::move(overloaded.model), std::move(second.model));
  HearingListener listener;
  ASSERT_TRUE(model->Complete(SimpleRequest(), &listener, nullptr).ok());
  ASSERT_TRUE(model->Complete(SimpleRequest(), &listener, nullptr).ok());
  EXPECT_EQ(model->info().model, "b");
  EXPECT_EQ(second.server.requests().size(), 2u);
  ASSERT_FALSE(listener.notices.empty());
  EXPECT_EQ(listener.notices.back().kind, ModelNotice::Kind::kFallback);
}

TEST(FallbackModelTest, TwoRetriesAreEnoughWhereAnotherModelStandsBy) {
  ModelSettings settings;
  settings.fallback = "openai:b";
  ServedModel served("openai:a",
                     {JsonReply(529, "{}"), JsonReply(529, "{}"), JsonReply(529, "{}"), Done()},
                     "auto", settings);
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_EQ(served.Body(2)["model"], "a");
  EXPECT_EQ(served.Body(3)["model"], "b");
}

TEST(FallbackModelTest, ARefusedRequestIsNoOverload) {
  ModelSettings settings;
  settings.fallback = "openai:b";
  ServedModel served("openai:a", {JsonReply(401, "{}"), Done()}, "auto", settings);
  EXPECT_TRUE(absl::IsUnauthenticated(served.Ask(SimpleRequest()).status()));
  EXPECT_EQ(served.server.requests().size(), 1u);
}

}  // namespace
}  // namespace stile
