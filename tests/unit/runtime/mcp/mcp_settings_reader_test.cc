#include "runtime/mcp/mcp_settings_reader.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

absl::StatusOr<std::vector<McpServerSettings>> Read(const std::string& text) {
  auto yaml = ParseYaml(text, "stile.yaml");
  if (!yaml.ok()) return yaml.status();
  return ParseMcpServers(*yaml);
}

TEST(McpSettingsReaderTest, ReadsProgramsAndAddresses) {
  const auto servers = Read(
      "files:\n  command: npx\n  args: [-y, server]\n  env: {A: '1'}\n  network: true\n"
      "web:\n  url: https://host/mcp\n  headers: {Authorization: Bearer x}\n  timeout_s: 5\n"
      "  read_only: ['get_*']\n");
  ASSERT_TRUE(servers.ok()) << servers.status();
  ASSERT_EQ(servers->size(), 2U);
  EXPECT_THAT((*servers)[0].command, ElementsAre("npx", "-y", "server"));
  EXPECT_THAT((*servers)[0].env, ElementsAre(Pair("A", "1")));
  EXPECT_TRUE((*servers)[0].network);
  EXPECT_EQ((*servers)[1].url, "https://host/mcp");
  EXPECT_EQ((*servers)[1].timeout_s, 5);
  EXPECT_EQ((*servers)[1].source, "stile.yaml:6");
}

TEST(McpSettingsReaderTest, NamesThePlaceOfAMistake) {
  EXPECT_THAT(Read("a:\n  command: x\n  url: http://y\n").status().message(),
              HasSubstr("stile.yaml:1: a: give either"));
  EXPECT_THAT(Read("a:\n  command: []\n").status().message(), HasSubstr("give either the command"));
  EXPECT_THAT(Read("a: x\n").status().message(), HasSubstr("stile.yaml:1"));
  EXPECT_TRUE(Read("")->empty());
}

TEST(McpSettingsReaderTest, VariablesOfTheEnvironmentStandInTexts) {
  McpServerSettings server;
  server.name = "a";
  server.source = "stile.yaml:3";
  server.headers = {{"Authorization", "Bearer ${TOKEN}, ${TOKEN}"}};
  server.url = "https://${HOST}/${";
  const auto given = WithVariables(server, {{"TOKEN", "${HOST}"}, {"HOST", "h"}});
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->headers.at("Authorization"), "Bearer ${HOST}, ${HOST}");
  EXPECT_EQ(given->url, "https://h/${");
  EXPECT_EQ(WithVariables(server, {{"HOST", "h"}}).status().message(),
            "stile.yaml:3: the server a needs the environment variable TOKEN, which is not set");
}

}  // namespace
}  // namespace stile
