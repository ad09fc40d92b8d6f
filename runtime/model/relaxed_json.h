#ifndef STILE_RUNTIME_MODEL_RELAXED_JSON_H_
#define STILE_RUNTIME_MODEL_RELAXED_JSON_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// A JSON object or array as models write it, found at the start of a text.
struct RelaxedJson {
  Json value;
  size_t end = 0;  // bytes of the text that it took
};

// Reads the object or array that begins at text[0] ('{' or '['). Beyond JSON it accepts what has
// only one meaning: strings in single quotes, raw line breaks and tabs in strings, a comma before
// the closing bracket, True, False and None. Anything else, and a value that does not end, is
// nothing.
std::optional<RelaxedJson> ParseRelaxedJson(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_RELAXED_JSON_H_
