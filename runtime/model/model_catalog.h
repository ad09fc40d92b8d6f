// What is known of public models: prices, limits and capabilities, from a table that is made when
// Stile is built (scripts/setup models). Immutable; any thread may ask.
#ifndef STILE_RUNTIME_MODEL_MODEL_CATALOG_H_
#define STILE_RUNTIME_MODEL_MODEL_CATALOG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/model/model_settings.h"

namespace stile {

struct ModelData {
  std::string provider;  // as in --model
  std::string model;
  int64_t context_tokens = 0;  // 0: unknown
  int64_t output_tokens = 0;   // the most of one reply; 0: unknown
  std::optional<ModelPrice> price;
  bool takes_images = false;
  bool reasons = false;
  bool adaptive_thinking = false;  // Anthropic: thinks as much as `effort` says, takes no budget
  bool wants_reasoning_content = false;  // of every assistant message with tool calls, sent back
  // The provider's words for --effort low, medium and high; "" where the model has no effort.
  std::map<std::string, std::string> efforts;
};

// A row of the table is, tab-separated: provider, model, context tokens, output tokens, price of
// input, of cached input, of cache writes, of output, flags (i images, r reasons, a adaptive
// thinking, c wants reasoning content), then the words for low, medium and high effort.
//
// The model of that provider; a name with a date or "-latest" at its end is found by the name
// without. nullopt: not in the table.
std::optional<ModelData> FindModelData(absl::string_view provider, absl::string_view model);

// Every model of `provider` ("": of all), sorted by provider and model.
std::vector<ModelData> ListModelData(absl::string_view provider);

// What `usage` costs in US dollars. `cache_write_tokens`: the part of input_tokens that was written
// to the provider's cache.
double CostUsd(const ModelPrice& price, const Usage& usage, int64_t cache_write_tokens);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_MODEL_CATALOG_H_
