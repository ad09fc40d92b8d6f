#ifndef STILE_RUNTIME_TOOL_PATH_TEXT_H_
#define STILE_RUNTIME_TOOL_PATH_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/workspace/edit_transaction.h"

namespace stile {

// A path in one line of text: as it is, or as a JSON string when it holds control characters,
// quotes or bytes that are not UTF-8 (these show as U+FFFD).
std::string DisplayPath(absl::string_view path);

// Sets `key` to the path, and `key` + "Base64" to its exact bytes when they are not UTF-8.
void SetPath(Json* object, const std::string& key, absl::string_view path);

// What a person must know of edits that a crash interrupted; "" when there were none.
std::string RestoredText(const Restored& restored);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_PATH_TEXT_H_
