// Signed certificates: a DSSE envelope (secure-systems-lab/dsse, envelope.md and protocol.md)
// around the bytes of the statement.
#ifndef STILE_RUNTIME_CERTIFICATE_CERTIFICATE_ENVELOPE_H_
#define STILE_RUNTIME_CERTIFICATE_CERTIFICATE_ENVELOPE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/ed25519.h"

namespace stile {

inline constexpr char kCertificatePayloadType[] = "application/vnd.in-toto+json";

// What is signed: "DSSEv1" SP length SP type SP length SP payload, lengths in decimal digits.
std::string PreAuthenticationEncoding(absl::string_view type, absl::string_view payload);

// The envelope around `statement` as one line of JSON; the key id is Ed25519PublicKey::Id.
std::string SealCertificate(absl::string_view statement, const Ed25519PrivateKey& key);

struct OpenedCertificate {
  std::string statement;  // JSON text, exactly the bytes that were signed
  struct Signature {
    std::string key_id;  // a hint, which proves nothing
    std::string bytes;
  };
  std::vector<Signature> signatures;  // empty: a bare statement

  bool IsSignedBy(const Ed25519PublicKey& key) const;
};

// Takes an envelope or a bare statement. Of several readings none is chosen: a key twice in one
// object, another payload type, base64 other than the standard one in its only form, an envelope
// without signatures, or one that is a statement as well are InvalidArgument. The statement itself
// is not looked at.
absl::StatusOr<OpenedCertificate> OpenCertificate(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_CERTIFICATE_CERTIFICATE_ENVELOPE_H_
