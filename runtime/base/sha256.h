#ifndef STILE_RUNTIME_BASE_SHA256_H_
#define STILE_RUNTIME_BASE_SHA256_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

using Sha256Digest = std::array<uint8_t, 32>;

// Incremental SHA-256 (FIPS 180-4, by OpenSSL). Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void Update(absl::string_view bytes);
  // Ends the computation; the object is ready for the next one afterwards.
  Sha256Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256Digest Sha256Of(absl::string_view bytes);
std::string ToHex(const Sha256Digest& digest);                     // 64 lower-case digits
std::optional<Sha256Digest> DigestFromHex(absl::string_view hex);  // nullopt: it is none
std::string Sha256Hex(absl::string_view bytes);                    // ToHex(Sha256Of(bytes))

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_SHA256_H_
