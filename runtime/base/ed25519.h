// Signatures with ed25519 keys (RFC 8032), by OpenSSL. The forms of keys are those of
// `openssl genpkey -algorithm ed25519` (RFC 8410).
#ifndef STILE_RUNTIME_BASE_ED25519_H_
#define STILE_RUNTIME_BASE_ED25519_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// Values of this class are immutable; thread-safe.
class Ed25519PublicKey {
 public:
  explicit Ed25519PublicKey(const std::array<uint8_t, 32>& raw) : raw_(raw) {}
  // Of a "PUBLIC KEY" block. InvalidArgument, saying what it is instead, for anything else.
  static absl::StatusOr<Ed25519PublicKey> FromPem(absl::string_view pem);
  std::string ToPem() const;
  // SHA-256 (hex) over the DER form (SubjectPublicKeyInfo).
  std::string Id() const;
  // Whether `signature` is one of exactly `message` by this key.
  bool Verify(absl::string_view message, absl::string_view signature) const;

 private:
  std::array<uint8_t, 32> raw_;
};

// Values of this class are immutable; thread-safe. The memory is wiped when one goes.
class Ed25519PrivateKey {
 public:
  static absl::StatusOr<Ed25519PrivateKey> Generate();
  // Of a "PRIVATE KEY" block (PKCS #8) without a passphrase. InvalidArgument for anything else;
  // the message never quotes the text.
  static absl::StatusOr<Ed25519PrivateKey> FromPem(absl::string_view pem);
  Ed25519PrivateKey(const Ed25519PrivateKey&) = default;
  Ed25519PrivateKey& operator=(const Ed25519PrivateKey&) = default;
  ~Ed25519PrivateKey();
  std::string ToPem() const;
  Ed25519PublicKey PublicKey() const;
  // 64 bytes.
  std::string Sign(absl::string_view message) const;

 private:
  explicit Ed25519PrivateKey(const std::array<uint8_t, 32>& raw) : raw_(raw) {}
  std::array<uint8_t, 32> raw_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_ED25519_H_
