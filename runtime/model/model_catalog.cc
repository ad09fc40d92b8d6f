#include "runtime/model/model_catalog.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/base/embedded.h"

namespace stile {

const std::vector<EmbeddedFile>& ModelTableFiles();  // made by the build

namespace {

constexpr size_t kColumns = 12;

absl::string_view Table() { return ModelTableFiles().front().text; }

double Dollars(absl::string_view text) {
  double value = 0;
  STILE_CHECK(absl::SimpleAtod(text, &value));
  return value;
}

ModelData ParseRow(absl::string_view row) {
  const std::vector<absl::string_view> columns = absl::StrSplit(row, '\t');
  STILE_CHECK(columns.size() == kColumns);
  ModelData data;
  data.provider = std::string(columns[0]);
  data.model = std::string(columns[1]);
  STILE_CHECK(absl::SimpleAtoi(columns[2], &data.context_tokens));
  STILE_CHECK(absl::SimpleAtoi(columns[3], &data.output_tokens));
  if (!columns[4].empty() && !columns[7].empty()) {
    ModelPrice price{Dollars(columns[4]), 0, 0, Dollars(columns[7])};
    // The table has 0 where a provider has no such price.
    if (!columns[5].empty()) price.cached = Dollars(columns[5]);
    if (!columns[6].empty()) price.cache_write = Dollars(columns[6]);
    if (price.cached == 0) price.cached = price.input;
    if (price.cache_write == 0) price.cache_write = price.input;
    data.price = price;
  }
  data.takes_images = absl::StrContains(columns[8], 'i');
  data.reasons = absl::StrContains(columns[8], 'r');
  data.adaptive_thinking = absl::StrContains(columns[8], 'a');
  data.wants_reasoning_content = absl::StrContains(columns[8], 'c');
  const char* const names[] = {"low", "medium", "high"};
  for (size_t i = 0; i < 3; ++i) data.efforts[names[i]] = std::string(columns[9 + i]);
  return data;
}

std::optional<ModelData> FindRow(absl::string_view provider, absl::string_view model) {
  const std::string start = absl::StrCat(provider, "\t", model, "\t");
  const absl::string_view table = Table();
  size_t at = absl::StartsWith(table, start) ? 0 : table.find(absl::StrCat("\n", start));
  if (at == absl::string_view::npos) return std::nullopt;
  if (table[at] == '\n') ++at;
  return ParseRow(table.substr(at, table.find('\n', at) - at));
}

// "claude-x-20250805", "gpt-x-2025-08-07" and "x-latest" without their ends; "" for other names.
absl::string_view WithoutDate(absl::string_view model) {
  if (absl::ConsumeSuffix(&model, "-latest")) return model;
  const size_t end = model.find_last_not_of("0123456789-");
  if (end == absl::string_view::npos) return "";
  const size_t dash = model.find('-', end);
  if (dash == absl::string_view::npos) return "";
  for (size_t at = dash; at != absl::string_view::npos; at = model.find('-', at + 1)) {
    const absl::string_view date = model.substr(at + 1);
    const auto digits = std::count_if(date.begin(), date.end(), absl::ascii_isdigit);
    if (digits == 8 && (date.size() == 8 || date.size() == 10)) return model.substr(0, at);
  }
  return "";
}

}  // namespace

std::optional<ModelData> FindModelData(absl::string_view provider, absl::string_view model) {
  if (auto row = FindRow(provider, model)) return row;
  const absl::string_view plain = WithoutDate(model);
  return plain.empty() ? std::nullopt : FindRow(provider, plain);
}

std::vector<ModelData> ListModelData(absl::string_view provider) {
  std::vector<ModelData> models;
  for (const absl::string_view row : absl::StrSplit(Table(), '\n', absl::SkipEmpty())) {
    if (provider.empty() || absl::StartsWith(row, absl::StrCat(provider, "\t"))) {
      models.push_back(ParseRow(row));
    }
  }
  return models;
}

double CostUsd(const ModelPrice& price, const Usage& usage, int64_t cache_write_tokens) {
  const int64_t plain = usage.input_tokens - usage.cached_tokens - cache_write_tokens;
  return (static_cast<double>(std::max<int64_t>(plain, 0)) * price.input +
          static_cast<double>(cache_write_tokens) * price.cache_write +
          static_cast<double>(usage.cached_tokens) * price.cached +
          static_cast<double>(usage.output_tokens) * price.output) /
         1e6;
}

}  // namespace stile
