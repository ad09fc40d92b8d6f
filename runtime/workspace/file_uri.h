// Paths in URIs: RFC 3986, of local files RFC 8089.
#ifndef STILE_RUNTIME_WORKSPACE_FILE_URI_H_
#define STILE_RUNTIME_WORKSPACE_FILE_URI_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// A path as a part of a URI, percent-encoded; slashes stay.
std::string PercentEncoded(absl::string_view path);
// The reverse; nullopt if a percent sign begins no byte, or a zero byte.
std::optional<std::string> PercentDecoded(absl::string_view text);

// The file URI of an absolute path, percent-encoded.
std::string FileUri(absl::string_view path);
// nullopt for URIs of other schemes and hosts, and for malformed ones.
std::optional<std::string> PathOfFileUri(absl::string_view uri);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_FILE_URI_H_
