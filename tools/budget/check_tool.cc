#include "tools/budget/check_tool.h"

#include "absl/strings/str_cat.h"
#include "runtime/tool/schema_builder.h"

namespace stile {
namespace {

class BudgetCheckTool : public Tool {
 public:
  BudgetCheckTool() {
    spec_.name = "budget.check";
    spec_.description = "What of this run's turns, tokens, cost and time is used.";
    spec_.parameters = ObjectSchema({});
    const Json amount = ObjectSchema({Required("used", "number"), Optional("limit", "number")});
    spec_.output = ObjectSchema({{"turns", amount, true},
                                 {"tokens", amount, true},
                                 {"cost_usd", amount, true},
                                 {"wall_time_s", amount, true}});
    spec_.read_only = true;
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& /*arguments*/, const ToolContext& context) override {
    if (!context.budget) return ToolResult::Error("There is no budget here.");
    std::string text;
    Json data = Json::object();
    for (const ToolContext::Spending& part : context.budget()) {
      data[part.what] = {{"used", part.used}};
      absl::StrAppend(&text, text.empty() ? "" : "\n", part.what, ": ", part.used);
      if (part.limit <= 0) continue;
      data[part.what]["limit"] = part.limit;
      absl::StrAppend(&text, " of ", part.limit);
    }
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewBudgetCheckTool() { return std::make_unique<BudgetCheckTool>(); }

}  // namespace stile
