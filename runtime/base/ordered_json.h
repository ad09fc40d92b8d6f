// JSON whose objects keep the order of their keys: for files of other programs, which people read.
#ifndef STILE_RUNTIME_BASE_ORDERED_JSON_H_
#define STILE_RUNTIME_BASE_ORDERED_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace stile {

using OrderedJson = nlohmann::ordered_json;

// As ParseJsonStrict.
absl::StatusOr<OrderedJson> ParseOrderedJson(absl::string_view text);

// Indented by `indent` blanks. Bytes that are not UTF-8 become U+FFFD.
std::string DumpOrderedJson(const OrderedJson& value, int indent);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_ORDERED_JSON_H_
