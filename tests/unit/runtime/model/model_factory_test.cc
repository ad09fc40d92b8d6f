#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/prices.h"
#include "runtime/model/provider_endpoint.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Refusal(const std::string& model, const Environment& environment = {},
                    const std::string& base_url = "", const std::string& protocol = "auto") {
  ModelSettings settings;
  settings.model = model;
  settings.base_url = base_url;
  settings.protocol = protocol;
  FakeClock clock;
  const auto made = NewChatModel(settings, environment, &clock);
  EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << model;
  return std::string(made.status().message());
}

TEST(ModelFactoryTest, SaysWhichKeyIsMissingAndHowToGiveIt) {
  EXPECT_EQ(Refusal("anthropic:m"), "set ANTHROPIC_API_KEY (or choose another model with --model)");
  EXPECT_EQ(Refusal("openai:m", {{"OPENAI_API_KEY", " \n"}}),
            "set OPENAI_API_KEY (or choose another model with --model)");
}

TEST(ModelFactoryTest, NamesTheProvidersForAnUnknownOne) {
  EXPECT_THAT(Refusal("gpt:m"), HasSubstr("unknown model provider 'gpt'"));
  EXPECT_THAT(Refusal(""), HasSubstr("no model is chosen"));
  EXPECT_THAT(Refusal("gpt-5"), HasSubstr("--model PROVIDER:MODEL"));
  EXPECT_THAT(Refusal("openai:"), HasSubstr("--model PROVIDER:MODEL"));
  EXPECT_THAT(Refusal("ollama:m", {}, "", "xml"), HasSubstr("unknown protocol 'xml'"));
}

TEST(ModelFactoryTest, AKeyWithALineBreakIsRefusedWithoutShowingIt) {
  const std::string message = Refusal("openai:m", {{"OPENAI_API_KEY", "sk-secret\nX-Evil: 1"}});
  EXPECT_THAT(message, HasSubstr("OPENAI_API_KEY holds a line break"));
  EXPECT_THAT(message, Not(HasSubstr("secret")));
}

TEST(ModelFactoryTest, ABaseUrlMustBeHttpAndItsSecretsStayHidden) {
  const std::string message = Refusal("openai:m", {}, "ftp://me:secret@host/x?token=t");
  EXPECT_THAT(message, HasSubstr("'ftp://host/x' must begin with http"));
}

TEST(ModelFactoryTest, AServerOfOnesOwnNeedsNoKey) {
  FakeClock clock;
  for (const char* model : {"openai:m", "anthropic:m", "ollama:m"}) {
    ModelSettings settings;
    settings.model = model;
    settings.base_url = "http://127.0.0.1:1";
    EXPECT_TRUE(NewChatModel(settings, {}, &clock).ok()) << model;
  }
}

TEST(ModelFactoryTest, TheModelKnowsItsProviderAndName) {
  FakeClock clock;
  ModelSettings settings;
  settings.model = "ollama:qwen3:8b";
  const auto model = *NewChatModel(settings, {}, &clock);
  EXPECT_EQ(model->info().provider, "ollama");
  EXPECT_EQ(model->info().model, "qwen3:8b");
  EXPECT_TRUE(model->info().native_tools);
}

TEST(ProviderEndpointTest, BuildsTheAddressFromWhatIsGiven) {
  using Make = absl::StatusOr<ProviderEndpoint> (*)(const ModelSettings&, const std::string&,
                                                    const Environment&);
  const struct {
    Make make;
    Environment environment;
    const char* base_url;
    const char* url;
  } cases[] = {
      {OpenAiEndpoint, {{"OPENAI_API_KEY", "k"}}, "", "https://api.openai.com/v1/chat/completions"},
      {OpenAiEndpoint,
       {{"OPENAI_BASE_URL", "http://h:1/v1/"}},
       "",
       "http://h:1/v1/chat/completions"},
      {OpenAiEndpoint,
       {{"OPENAI_BASE_URL", "http://h:1/v1"}},
       "http://g",
       "http://g/v1/chat/completions"},
      {OpenAiEndpoint, {}, "http://g/x/chat/completions", "http://g/x/chat/completions"},
      {AnthropicEndpoint,
       {{"ANTHROPIC_API_KEY", "k"}},
       "",
       "https://api.anthropic.com/v1/messages"},
      {AnthropicEndpoint, {{"ANTHROPIC_BASE_URL", "http://h/v1"}}, "", "http://h/v1/messages"},
      {AnthropicEndpoint, {}, "http://h/proxy", "http://h/proxy/v1/messages"},
      {OllamaEndpoint, {}, "", "http://127.0.0.1:11434/api/chat"},
      {OllamaEndpoint, {{"OLLAMA_HOST", "0.0.0.0"}}, "", "http://127.0.0.1:11434/api/chat"},
      {OllamaEndpoint, {{"OLLAMA_HOST", ":9"}}, "", "http://127.0.0.1:9/api/chat"},
      {OllamaEndpoint, {{"OLLAMA_HOST", "box:9"}}, "", "http://box:9/api/chat"},
      {OllamaEndpoint, {{"OLLAMA_HOST", "https://box/"}}, "", "https://box/api/chat"},
  };
  for (const auto& expected : cases) {
    ModelSettings settings;
    settings.base_url = expected.base_url;
    const auto endpoint = expected.make(settings, "m", expected.environment);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->url, expected.url);
  }
}

TEST(ProviderEndpointTest, PrintedUrlsHoldNoSecrets) {
  EXPECT_EQ(PrintableUrl("https://u:p@h:1/a?k=v#f"), "https://h:1/a");
  EXPECT_EQ(PrintableUrl("u:p@h"), "h");
  EXPECT_EQ(PrintableUrl("http://h/a@b"), "http://h/a@b");
}

TEST(PricesTest, ADateMayFollowAKnownNameAndNothingElse) {
  const Usage usage{1'000'000, 0, 0, 0};
  EXPECT_DOUBLE_EQ(CostUsd("gpt-5", usage, 0), 1.25);
  EXPECT_DOUBLE_EQ(CostUsd("gpt-5-2025-08-07", usage, 0), 1.25);
  EXPECT_DOUBLE_EQ(CostUsd("gpt-5-mini", usage, 0), 0.25);
  EXPECT_DOUBLE_EQ(CostUsd("claude-3-5-haiku-latest", usage, 0), 0.8);
  EXPECT_EQ(CostUsd("gpt-5-pro", usage, 0), 0);
  EXPECT_EQ(CostUsd("gpt-50", usage, 0), 0);
  EXPECT_EQ(CostUsd("my-model", usage, 0), 0);
}

}  // namespace
}  // namespace stile
