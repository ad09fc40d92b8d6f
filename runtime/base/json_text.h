// JSON as programs in JavaScript write it.
#ifndef STILE_RUNTIME_BASE_JSON_TEXT_H_
#define STILE_RUNTIME_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// The text with U+FFFD for each escape of a surrogate without the other half of its pair.
// JavaScript writes half a pair as it stands in a text; JSON has none.
std::string WithoutLoneSurrogates(absl::string_view input);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_JSON_TEXT_H_
