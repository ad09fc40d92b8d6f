#include "runtime/base/ed25519.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <memory>

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/base/sha256.h"

namespace stile {
namespace {

using Raw = std::array<uint8_t, 32>;

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Context = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;

// Keys with a passphrase are refused: nobody is there to be asked.
int NoPassphrase(char*, int, int, void*) { return -1; }

Bio Reader(absl::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

Key PublicKeyOf(const Raw& raw) {
  Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw.data(), raw.size()));
  STILE_CHECK(key != nullptr);
  return key;
}

Key PrivateKeyOf(const Raw& raw) {
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw.data(), raw.size()));
  STILE_CHECK(key != nullptr);
  return key;
}

constexpr size_t kMaxPemBytes = size_t{64} << 10;

}  // namespace

absl::StatusOr<Ed25519PublicKey> Ed25519PublicKey::FromPem(absl::string_view pem) {
  if (pem.size() > kMaxPemBytes) return absl::InvalidArgumentError("too long to be a public key");
  if (absl::StrContains(pem, "PRIVATE KEY-----")) {
    return absl::InvalidArgumentError("a private key; the public one is asked for here");
  }
  const Key key(PEM_read_bio_PUBKEY(Reader(pem).get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  if (key == nullptr) return absl::InvalidArgumentError("no public key in PEM form");
  Raw raw{};
  size_t size = raw.size();
  if (EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key.get(), raw.data(), &size) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError("not an ed25519 key");
  }
  return Ed25519PublicKey(raw);
}

std::string Ed25519PublicKey::ToPem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  STILE_CHECK(PEM_write_bio_PUBKEY(bio.get(), PublicKeyOf(raw_).get()) == 1);
  return TextOf(bio.get());
}

std::string Ed25519PublicKey::Id() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  STILE_CHECK(i2d_PUBKEY_bio(bio.get(), PublicKeyOf(raw_).get()) == 1);
  return Sha256Hex(TextOf(bio.get()));
}

bool Ed25519PublicKey::Verify(absl::string_view message, absl::string_view signature) const {
  const Context context(EVP_MD_CTX_new());
  const Key key = PublicKeyOf(raw_);
  STILE_CHECK(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  const int verdict = EVP_DigestVerify(
      context.get(), reinterpret_cast<const uint8_t*>(signature.data()), signature.size(),
      reinterpret_cast<const uint8_t*>(message.data()), message.size());
  ERR_clear_error();
  return verdict == 1;
}

absl::StatusOr<Ed25519PrivateKey> Ed25519PrivateKey::Generate() {
  Raw raw{};
  if (RAND_priv_bytes(raw.data(), static_cast<int>(raw.size())) != 1) {
    ERR_clear_error();
    return absl::InternalError("no random bytes to be had for a key");
  }
  Ed25519PrivateKey key(raw);
  OPENSSL_cleanse(raw.data(), raw.size());
  return key;
}

absl::StatusOr<Ed25519PrivateKey> Ed25519PrivateKey::FromPem(absl::string_view pem) {
  if (pem.size() > kMaxPemBytes) return absl::InvalidArgumentError("too long to be a private key");
  if (absl::StrContains(pem, "ENCRYPTED")) {
    return absl::InvalidArgumentError(
        "a key with a passphrase, which nobody is asked for; give one without");
  }
  const Key key(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  if (key == nullptr) return absl::InvalidArgumentError("no private key in PEM form");
  Raw raw{};
  size_t size = raw.size();
  if (EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_private_key(key.get(), raw.data(), &size) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError("not an ed25519 key");
  }
  Ed25519PrivateKey result(raw);
  OPENSSL_cleanse(raw.data(), raw.size());
  return result;
}

Ed25519PrivateKey::~Ed25519PrivateKey() { OPENSSL_cleanse(raw_.data(), raw_.size()); }

std::string Ed25519PrivateKey::ToPem() const {
  const Bio bio(BIO_new(BIO_s_secmem()));
  STILE_CHECK(PEM_write_bio_PKCS8PrivateKey(bio.get(), PrivateKeyOf(raw_).get(), nullptr, nullptr,
                                            0, NoPassphrase, nullptr) == 1);
  return TextOf(bio.get());
}

Ed25519PublicKey Ed25519PrivateKey::PublicKey() const {
  Raw raw{};
  size_t size = raw.size();
  STILE_CHECK(EVP_PKEY_get_raw_public_key(PrivateKeyOf(raw_).get(), raw.data(), &size) == 1);
  return Ed25519PublicKey(raw);
}

std::string Ed25519PrivateKey::Sign(absl::string_view message) const {
  const Context context(EVP_MD_CTX_new());
  const Key key = PrivateKeyOf(raw_);
  STILE_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  std::string signature(64, '\0');
  size_t size = signature.size();
  STILE_CHECK(EVP_DigestSign(context.get(), reinterpret_cast<uint8_t*>(signature.data()), &size,
                             reinterpret_cast<const uint8_t*>(message.data()),
                             message.size()) == 1);
  return signature;
}

}  // namespace stile
