#include "runtime/tool/path_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

std::string RestoredText(const Restored& restored) {
  const auto listed = [](const std::vector<std::string>& paths) {
    return absl::StrJoin(paths, ", ", [](std::string* out, const std::string& path) {
      absl::StrAppend(out, DisplayPath(path));
    });
  };
  std::string text;
  if (!restored.changed.empty()) {
    absl::StrAppend(&text, "A change that was interrupted has been taken back in ",
                    listed(restored.changed), ".");
  }
  if (!restored.foreign.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", listed(restored.foreign),
                    restored.foreign.size() == 1 ? " has" : " have",
                    " been written since by somebody else and may hold part of an interrupted "
                    "change: look at the diff.");
  }
  return text;
}

}  // namespace stile
