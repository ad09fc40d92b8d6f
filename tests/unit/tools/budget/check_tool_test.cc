#include "tools/budget/check_tool.h"

#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

class BudgetCheckTest : public ToolFixture {};

TEST_F(BudgetCheckTest, SaysWhatIsUsed) {
  Add(NewBudgetCheckTool());
  context_.budget = [] {
    return std::vector<ToolContext::Spending>{
        {"turns", 3, 50}, {"tokens", 1234567, 0}, {"cost_usd", 0.25, 2}, {"wall_time_s", 7, 0}};
  };
  const ToolResult result = Call("budget.check", Json::object());
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_EQ(result.text, "turns: 3 of 50\ntokens: 1234567\ncost_usd: 0.25 of 2\nwall_time_s: 7");
  EXPECT_EQ(result.data["turns"], Json({{"used", 3}, {"limit", 50}}));
  EXPECT_EQ(result.data["tokens"], Json({{"used", 1234567}}));
}

TEST_F(BudgetCheckTest, OutsideOfARunThereIsNone) {
  Add(NewBudgetCheckTool());
  EXPECT_FALSE(Call("budget.check", Json::object()).ok);
}

}  // namespace
}  // namespace stile
