#include "runtime/base/picture.h"

#include "absl/strings/match.h"

namespace stile {

std::string PictureType(absl::string_view content) {
  if (absl::StartsWith(content, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (absl::StartsWith(content, "\xff\xd8\xff")) return "image/jpeg";
  if (absl::StartsWith(content, "GIF87a") || absl::StartsWith(content, "GIF89a")) {
    return "image/gif";
  }
  const bool is_webp = content.size() > 12 && absl::StartsWith(content, "RIFF") &&
                       absl::StartsWith(content.substr(8), "WEBP");
  return is_webp ? "image/webp" : "";
}

}  // namespace stile
