// URIs of local files, RFC 8089.
#ifndef STILE_RUNTIME_WORKSPACE_FILE_URI_H_
#define STILE_RUNTIME_WORKSPACE_FILE_URI_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// The file URI of an absolute path, percent-encoded.
std::string FileUri(absl::string_view path);
// nullopt for URIs of other schemes and hosts, and for malformed ones.
std::optional<std::string> PathOfFileUri(absl::string_view uri);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_FILE_URI_H_
