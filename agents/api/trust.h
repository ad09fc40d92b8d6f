// What a repository may set by itself, and what only its user can. A stile.yaml comes with the
// code, from whoever wrote that: it may ask for more care, but where the model's key goes, which
// commands run and what the gate lets pass count only once the user has looked at the file and said
// so (`stile trust`).
#ifndef STILE_AGENTS_API_TRUST_H_
#define STILE_AGENTS_API_TRUST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/yaml.h"
#include "runtime/process/process_runner.h"

namespace stile {

// The keys of a stile.yaml that redirect or loosen, as "FILE:LINE: permissions.allow"; and the
// rest.
struct TrustSplit {
  std::vector<std::string> sensitive;
  std::vector<std::string> validators;  // those of `sensitive` that declare how files are judged
  Yaml harmless;
};
TrustSplit SplitByTrust(const Yaml& yaml);

// Whether the user trusts exactly this text of the stile.yaml in `workspace` (absolute, no
// symlinks). Kept below StateDir, by the path and the content's hash: any edit takes the trust
// back.
absl::StatusOr<bool> IsTrusted(const Environment& environment, const std::string& workspace,
                               absl::string_view text);
absl::Status Trust(const Environment& environment, const std::string& workspace,
                   absl::string_view text);
// Whether there was anything to take back.
absl::StatusOr<bool> RevokeTrust(const Environment& environment, const std::string& workspace);

}  // namespace stile

#endif  // STILE_AGENTS_API_TRUST_H_
