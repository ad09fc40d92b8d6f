#include "runtime/model/prices.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

// Public list prices in US dollars for a million tokens, as of November 2025; short contexts,
// standard tier. Cache writes cost 1.25 times the input at Anthropic, nothing extra at OpenAI.
struct Price {
  absl::string_view model;
  double input;
  double cached;
  double output;
};

constexpr double kAnthropicCacheWriteFactor = 1.25;

constexpr Price kPrices[] = {
    {"claude-opus-4-5", 5, 0.5, 25},
    {"claude-opus-4-1", 15, 1.5, 75},
    {"claude-opus-4", 15, 1.5, 75},
    {"claude-sonnet-4-5", 3, 0.3, 15},
    {"claude-sonnet-4", 3, 0.3, 15},
    {"claude-3-7-sonnet", 3, 0.3, 15},
    {"claude-haiku-4-5", 1, 0.1, 5},
    {"claude-3-5-haiku", 0.8, 0.08, 4},
    {"gpt-5.1", 1.25, 0.125, 10},
    {"gpt-5", 1.25, 0.125, 10},
    {"gpt-5-mini", 0.25, 0.025, 2},
    {"gpt-5-nano", 0.05, 0.005, 0.4},
    {"gpt-4.1", 2, 0.5, 8},
    {"gpt-4.1-mini", 0.4, 0.1, 1.6},
    {"gpt-4.1-nano", 0.1, 0.025, 0.4},
    {"gpt-4o", 2.5, 1.25, 10},
    {"gpt-4o-mini", 0.15, 0.075, 0.6},
    {"o3", 2, 0.5, 8},
    {"o4-mini", 1.1, 0.275, 4.4},
};

// Whether `model` is `name`, or `name` with a date or "-latest" after it.
bool Names(absl::string_view model, absl::string_view name) {
  if (!absl::ConsumePrefix(&model, name)) return false;
  if (model.empty() || model == "-latest") return true;
  return absl::ConsumePrefix(&model, "-") && model.size() >= 8 &&
         std::all_of(model.begin(), model.end(), [](char c) {
           return c == '-' || absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

}  // namespace

double CostUsd(absl::string_view model, const Usage& usage, int64_t cache_write_tokens) {
  for (const Price& price : kPrices) {
    if (!Names(model, price.model)) continue;
    const double write_factor =
        absl::StartsWith(model, "claude") ? kAnthropicCacheWriteFactor : 1.0;
    const auto plain = usage.input_tokens - usage.cached_tokens - cache_write_tokens;
    return (static_cast<double>(std::max<int64_t>(plain, 0)) * price.input +
            static_cast<double>(cache_write_tokens) * price.input * write_factor +
            static_cast<double>(usage.cached_tokens) * price.cached +
            static_cast<double>(usage.output_tokens) * price.output) /
           1e6;
  }
  return 0;
}

}  // namespace stile
