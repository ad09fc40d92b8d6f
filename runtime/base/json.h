// JSON at the edges. nlohmann::json is the vocabulary type everywhere; text becomes JSON and JSON
// becomes text only here, because the library's parser and serializer throw.
#ifndef STILE_RUNTIME_BASE_JSON_H_
#define STILE_RUNTIME_BASE_JSON_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace stile {

using Json = nlohmann::json;

// Parses one JSON value that fills `text`. Nesting beyond `max_depth` is an error (a deep value
// could otherwise exhaust the stack of whoever walks it). The message names line and column.
absl::StatusOr<Json> ParseJson(absl::string_view text, int max_depth = 200);

// The same for what must not be read in two ways: a key that an object has twice, and a byte
// order mark are errors as well.
absl::StatusOr<Json> ParseJsonStrict(absl::string_view text, int max_depth = 200);

// Compact text, or indented by `indent` blanks when >= 0. Bytes that are not UTF-8 become U+FFFD.
// Never fails. Keys come in sorted order, so equal values give equal text.
std::string DumpJson(const Json& value, int indent = -1);

// The member `key` of object `value` if it is there and has the wanted type. A `value` that is no
// object has no members.
std::optional<std::string> JsonString(const Json& value, absl::string_view key);
std::optional<int64_t> JsonInt(const Json& value, absl::string_view key);
std::optional<double> JsonNumber(const Json& value, absl::string_view key);
std::optional<bool> JsonBool(const Json& value, absl::string_view key);
// Null when absent; otherwise points into `value`.
const Json* JsonMember(const Json& value, absl::string_view key);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_JSON_H_
