#include "runtime/tool/path_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {

std::string DisplayPath(absl::string_view path) {
  const bool plain = IsUtf8(path) && std::none_of(path.begin(), path.end(), [](unsigned char c) {
                       return c < 0x20 || c == 0x7f || c == '"';
                     });
  return plain ? std::string(path) : DumpJson(Json(std::string(path)));
}

void SetPath(Json* object, const std::string& key, absl::string_view path) {
  (*object)[key] = ToUtf8(path);
  if (!IsUtf8(path)) (*object)[absl::StrCat(key, "Base64")] = Base64Encode(path);
}

}  // namespace stile
