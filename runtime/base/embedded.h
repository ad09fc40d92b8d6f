#ifndef STILE_RUNTIME_BASE_EMBEDDED_H_
#define STILE_RUNTIME_BASE_EMBEDDED_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// A data file compiled into the binary (CMake: stile_embed).
struct EmbeddedFile {
  std::string path;        // relative to the repository root, e.g. "agents/languages/go.yaml"
  absl::string_view text;  // lives as long as the process
};

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_EMBEDDED_H_
