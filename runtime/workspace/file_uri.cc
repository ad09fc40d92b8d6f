#include "runtime/workspace/file_uri.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace stile {

std::string PercentEncoded(absl::string_view path) {
  std::string text;
  for (const char c : path) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/-._~", c)) {
      text.push_back(c);
    } else {
      absl::StrAppendFormat(&text, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      path.push_back(text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return std::nullopt;
    }
    const std::string byte = absl::HexStringToBytes(digits);
    if (byte[0] == '\0') return std::nullopt;
    path += byte;
    i += 2;
  }
  return path;
}

std::string FileUri(absl::string_view path) {
  return absl::StrCat("file://", PercentEncoded(path));
}

std::optional<std::string> PathOfFileUri(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "file://") || !absl::StartsWith(uri, "/")) return std::nullopt;
  return PercentDecoded(uri);
}

}  // namespace stile
