#include "runtime/model/model_catalog.h"

#include <gtest/gtest.h>

#include <set>

namespace stile {
namespace {

TEST(ModelCatalogTest, ADateOrLatestMayFollowAKnownNameAndNothingElse) {
  const Usage usage{1'000'000, 0, 0, 0};
  for (const char* name : {"gpt-5", "gpt-5-2025-08-07", "gpt-5-latest", "gpt-5-20250807"}) {
    const auto model = FindModelData("openai", name);
    ASSERT_TRUE(model.has_value()) << name;
    EXPECT_DOUBLE_EQ(CostUsd(*model->price, usage, 0), 1.25) << name;
  }
  for (const char* name : {"gpt-50", "gpt-5-2", "gpt-5-x", "my-model", "", "-latest", "20250807"}) {
    EXPECT_FALSE(FindModelData("openai", name).has_value()) << name;
  }
  EXPECT_FALSE(FindModelData("anthropic", "gpt-5").has_value());
}

TEST(ModelCatalogTest, CachedTokensCostWhatTheProviderSays) {
  const auto model = FindModelData("anthropic", "claude-sonnet-4-5");
  ASSERT_TRUE(model.has_value());
  const Usage usage{100, 50, 70, 0};  // 10 plain, 20 written, 70 read
  EXPECT_NEAR(CostUsd(*model->price, usage, 20), (10 * 3 + 20 * 3.75 + 70 * 0.3 + 50 * 15) / 1e6,
              1e-12);
}

TEST(ModelCatalogTest, EveryRowIsSoundAndStandsOnce) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const ModelData& model : ListModelData("")) {
    EXPECT_TRUE(seen.insert({model.provider, model.model}).second) << model.model;
    EXPECT_GE(model.context_tokens, 0);
    const auto found = FindModelData(model.provider, model.model);
    ASSERT_TRUE(found.has_value()) << model.provider << ":" << model.model;
    EXPECT_EQ(found->context_tokens, model.context_tokens);
    if (!model.price) continue;
    EXPECT_GE(model.price->output, 0);
    EXPECT_GE(model.price->input, 0);
  }
  EXPECT_GT(seen.size(), 100u);
  for (const char* provider : {"anthropic", "azure", "deepseek", "gemini", "groq", "mistral",
                               "moonshot", "openai", "openrouter", "xai"}) {
    EXPECT_FALSE(ListModelData(provider).empty()) << provider;
  }
}

TEST(ModelCatalogTest, AnEffortThatAModelLacksIsTheNextOneThatItHas) {
  EXPECT_EQ(FindModelData("openai", "gpt-5-pro")->efforts.at("low"), "high");
  EXPECT_EQ(FindModelData("openai", "gpt-5")->efforts.at("low"), "low");
  EXPECT_EQ(FindModelData("openai", "gpt-4.1")->efforts.at("high"), "");
}

}  // namespace
}  // namespace stile
