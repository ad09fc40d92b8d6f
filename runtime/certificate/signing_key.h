#ifndef STILE_RUNTIME_CERTIFICATE_SIGNING_KEY_H_
#define STILE_RUNTIME_CERTIFICATE_SIGNING_KEY_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/base/ed25519.h"
#include "runtime/process/process_runner.h"

namespace stile {

// The key at `path` (absolute, with "~/" for the home folder, or relative to the current folder);
// nullopt for "". InvalidArgument, with the path, when there is no usable key, when others than the
// owner may read or replace it, or when it lies in the workspace, where agents write.
absl::StatusOr<std::optional<Ed25519PrivateKey>> LoadSigningKey(const std::string& path,
                                                                const std::string& workspace,
                                                                const Environment& environment);

struct KeyFiles {
  std::string private_key;
  std::string public_key;
  std::string key_id;
};

// Makes a key pair: `folder`/certificate-key.pem (mode 0600) and certificate-key.pub.pem. Makes the
// folder where it is missing. FailedPrecondition when one of the files is there already: a key is
// never overwritten.
absl::StatusOr<KeyFiles> GenerateKeyFiles(const std::string& folder);

}  // namespace stile

#endif  // STILE_RUNTIME_CERTIFICATE_SIGNING_KEY_H_
