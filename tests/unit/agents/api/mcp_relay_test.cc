#include "agents/api/mcp_relay.h"

#include "gtest/gtest.h"

namespace stile {
namespace {

TEST(McpScopeTest, ReadsTheSettingOfAStep) {
  EXPECT_EQ(ParseMcpScope("true"), McpScope({"*"}));
  EXPECT_EQ(ParseMcpScope("false"), McpScope());
  EXPECT_EQ(ParseMcpScope(""), McpScope());
  EXPECT_EQ(ParseMcpScope(" a.b\n c:d://e\t"), McpScope({"a.b", "c:d://e"}));
}

}  // namespace
}  // namespace stile
