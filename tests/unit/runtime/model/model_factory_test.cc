#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(Refusal("anthropic:m"),
            "anthropic needs a key: set ANTHROPIC_API_KEY (export ANTHROPIC_API_KEY=…), or choose "
            "another "
            "model with --model");
  EXPECT_EQ(
      Refusal("openai:m", {{"OPENAI_API_KEY", " \n"}}),
      "openai needs a key: set OPENAI_API_KEY (export OPENAI_API_KEY=…), or choose another model "
      "with --model");
}

TEST(ModelFactoryTest, NamesTheProvidersForAnUnknownOne) {
  EXPECT_THAT(Refusal("gpt:m"), HasSubstr("unknown model provider 'gpt'"));
  EXPECT_THAT(Refusal("antropic:m"), HasSubstr("did you mean 'anthropic'?"));
  EXPECT_THAT(Refusal(""), HasSubstr("no model is chosen"));
  EXPECT_THAT(Refusal("gpt-5"), HasSubstr("--model PROVIDER:MODEL"));
  EXPECT_THAT(Refusal("openai:"), HasSubstr("--model PROVIDER:MODEL"));
  EXPECT_THAT(Refusal("ollama:m", {}, "", "xml"), HasSubstr("unknown protocol 'xml'"));
}

TEST(ModelFactoryTest, SaysWhatANameWithoutProviderOrModelMayMean) {
  EXPECT_THAT(Refusal("anthropic"), HasSubstr("'anthropic' is a provider without a model; `stile "
                                              "models anthropic` lists its models"));
  EXPECT_THAT(Refusal("anthropic:"), HasSubstr("is a provider without a model"));
  EXPECT_THAT(Refusal("openai/gpt-5.5"), HasSubstr("did you mean 'openai:gpt-5.5'?"));
  EXPECT_THAT(Refusal("claude-sonnet-5"), HasSubstr("did you mean 'anthropic:claude-sonnet-5'?"));
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
  const struct {
    const char* model;
    Environment environment;
    const char* base_url;
    const char* expected;  // base_url of the endpoint
  } cases[] = {
      {"openai:m", {{"OPENAI_API_KEY", "k"}}, "", "https://api.openai.com/v1"},
      {"openai:m", {{"OPENAI_BASE_URL", "http://h:1/v1/"}}, "", "http://h:1/v1"},
      {"openai:m", {{"OPENAI_BASE_URL", "http://h:1/v1"}}, "http://g", "http://g/v1"},
      {"openai:m", {}, "http://g/x/chat/completions", "http://g/x"},
      {"openai:m", {}, "http://g/x/responses", "http://g/x"},
      {"anthropic:m", {{"ANTHROPIC_API_KEY", "k"}}, "", "https://api.anthropic.com"},
      {"anthropic:m", {{"ANTHROPIC_BASE_URL", "http://h/v1"}}, "", "http://h"},
      {"anthropic:m", {}, "http://h/proxy/v1/messages", "http://h/proxy"},
      {"ollama:m", {}, "", "http://127.0.0.1:11434"},
      {"ollama:m", {{"OLLAMA_HOST", "0.0.0.0"}}, "", "http://127.0.0.1:11434"},
      {"ollama:m", {{"OLLAMA_HOST", ":9"}}, "", "http://127.0.0.1:9"},
      {"ollama:m", {{"OLLAMA_HOST", "box:9"}}, "", "http://box:9"},
      {"ollama:m", {{"OLLAMA_HOST", "https://box/"}}, "", "https://box"},
      {"gemini:m", {}, "http://g", "http://g/v1beta"},
      {"azure:m", {{"AZURE_OPENAI_ENDPOINT", "https://r.test/openai/v1/"}}, "", "https://r.test"},
      {"openrouter:a/b", {{"OPENROUTER_API_KEY", "k"}}, "", "https://openrouter.ai/api/v1"},
      {"vllm:m", {}, "", "http://127.0.0.1:8000/v1"},
      {"llamacpp:m", {}, "", "http://127.0.0.1:8080/v1"},
      {"lmstudio:m", {}, "", "http://127.0.0.1:1234/v1"},
  };
  for (const auto& [model, environment, base_url, expected] : cases) {
    ModelSettings settings;
    settings.model = model;
    settings.base_url = base_url;
    const auto endpoint = MakeProviderEndpoint(settings, environment);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->base_url, expected) << model << " " << base_url;
  }
}

TEST(ProviderEndpointTest, AddsHeadersAndQueryFromConfigurationWithVariablesInThem) {
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = "http://h/v1";
  settings.headers = {{"X-Team", "compilers"}, {"X-Token", "Bearer ${TEAM_TOKEN}!"}};
  settings.query = {{"tenant", "a b&c"}};
  const auto endpoint = MakeProviderEndpoint(settings, {{"TEAM_TOKEN", "t0k"}});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->headers.at("X-Team"), "compilers");
  EXPECT_EQ(endpoint->headers.at("X-Token"), "Bearer t0k!");
  EXPECT_EQ(EndpointUrl(*endpoint, "/chat/completions"),
            "http://h/v1/chat/completions?tenant=a%20b%26c");
  EXPECT_THAT(MakeProviderEndpoint(settings, {}).status().message(),
              HasSubstr("header X-Token names the variable TEAM_TOKEN, which is not set"));
}

TEST(ProviderEndpointTest, AMissingTlsFileIsNamed) {
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = "https://h/v1";
  EXPECT_THAT(
      MakeProviderEndpoint(settings, {{"SSL_CERT_FILE", "/no/such/ca.pem"}}).status().message(),
      HasSubstr("cannot read /no/such/ca.pem (named by SSL_CERT_FILE"));
  settings.client_key = "/dev/null";
  EXPECT_THAT(MakeProviderEndpoint(settings, {}).status().message(),
              HasSubstr("client_key needs client_certificate"));
}

TEST(ProviderEndpointTest, OnlyLongKeysAreTakenOutOfMessages) {
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = "http://h/v1";
  EXPECT_EQ(Redact(*MakeProviderEndpoint(settings, {{"OPENAI_API_KEY", "EMPTY"}}), "is EMPTY"),
            "is EMPTY");
  EXPECT_EQ(Redact(*MakeProviderEndpoint(settings, {{"OPENAI_API_KEY", kTestKey}}),
                   absl::StrCat("key ", kTestKey)),
            "key [key]");
}

TEST(ProviderEndpointTest, PrintedUrlsHoldNoSecrets) {
  EXPECT_EQ(PrintableUrl("https://u:p@h:1/a?k=v#f"), "https://h:1/a");
  EXPECT_EQ(PrintableUrl("u:p@h"), "h");
  EXPECT_EQ(PrintableUrl("http://h/a@b"), "http://h/a@b");
}

}  // namespace
}  // namespace stile
