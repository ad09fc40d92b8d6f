#include "tools/budget/check_tool.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "runtime/tool/schema_builder.h"

namespace stile {
namespace {

// Whole numbers as such; of others as many places as anybody reads.
Json Amount(double value) {
  const double rounded = std::round(value * 1e4) / 1e4;
  if (rounded == std::trunc(rounded) && std::abs(rounded) < 1e15) {
    return static_cast<int64_t>(rounded);
  }
  return rounded;
}

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
      const Json used = Amount(part.used);
      data[part.what] = {{"used", used}};
      absl::StrAppend(&text, text.empty() ? "" : "\n", part.what, ": ", DumpJson(used));
      if (part.limit <= 0) continue;
      data[part.what]["limit"] = Amount(part.limit);
      absl::StrAppend(&text, " of ", DumpJson(Amount(part.limit)));
    }
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewBudgetCheckTool() { return std::make_unique<BudgetCheckTool>(); }

}  // namespace stile
