#include "tools/agent/spawn_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using testing::HasSubstr;

TEST(AgentSpawnTest, PassesTaskAndProfileOn) {
  ToolContext context;
  std::string seen;
  context.spawn = [&](const std::string& profile, const std::string& task) {
    seen = profile + ": " + task;
    return ToolResult::Success("found it");
  };
  const auto tool = NewAgentSpawnTool();
  EXPECT_FALSE(tool->spec().read_only);
  const ToolResult result = tool->Run({{"task", "Look."}, {"agent", "code-review"}}, context);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.text, "found it");
  EXPECT_EQ(seen, "code-review: Look.");
  tool->Run({{"task", "Look."}}, context);
  EXPECT_EQ(seen, ": Look.");
}

TEST(AgentSpawnTest, AnEmptyTaskOrNobodyToGiveItToIsAnError) {
  ToolContext context;
  const auto tool = NewAgentSpawnTool();
  EXPECT_THAT(tool->Run({{"task", "Look."}}, context).text, HasSubstr("no sub-agents"));
  context.spawn = [](const std::string&, const std::string&) -> ToolResult {
    ADD_FAILURE();
    return ToolResult::Success("");
  };
  const ToolResult result = tool->Run({{"task", " \n"}}, context);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.text, HasSubstr("empty"));
}

}  // namespace
}  // namespace stile
