#include "runtime/loop/repetition.h"

#include "runtime/base/sha256.h"

namespace stile {

int RepetitionDetector::Record(absl::string_view tool, const Json& arguments,
                               absl::string_view result, absl::string_view workspace_root_hash) {
  const std::string fingerprint = Sha256Hex(DumpJson(
      {std::string(tool), arguments, std::string(result), std::string(workspace_root_hash)}));
  times_ = fingerprint == last_ ? times_ + 1 : 1;
  last_ = fingerprint;
  return times_;
}

}  // namespace stile
