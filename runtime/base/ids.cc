#include "runtime/base/ids.h"

#include <sys/random.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"

namespace stile {

uint64_t RandomBits() {
  uint64_t bits = 0;
  STILE_CHECK(getrandom(&bits, sizeof(bits), 0) == sizeof(bits));
  return bits;
}

std::string RandomHex(int bytes) {
  std::string raw(static_cast<size_t>(bytes), '\0');
  STILE_CHECK(getrandom(raw.data(), raw.size(), 0) == bytes);
  return absl::BytesToHexString(raw);
}

std::string NewRunId(absl::Time now) {
  return absl::StrCat(absl::FormatTime("%Y%m%dT%H%M%S", now, absl::UTCTimeZone()), "-",
                      RandomHex(4));
}

}  // namespace stile
