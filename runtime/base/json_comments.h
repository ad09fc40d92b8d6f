#ifndef STILE_RUNTIME_BASE_JSON_COMMENTS_H_
#define STILE_RUNTIME_BASE_JSON_COMMENTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// JSON as settings of JavaScript tools write it: comments, trailing commas and a byte order mark
// go. What it returns of other text is no JSON either.
std::string StripJsonComments(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_JSON_COMMENTS_H_
