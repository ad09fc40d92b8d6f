#ifndef STILE_TOOLS_INDEX_BYTE_HASH_H_
#define STILE_TOOLS_INDEX_BYTE_HASH_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace stile {

// A hash that is the same in every process, so that it may be written to disk. Good against chance,
// not against intent. Machines of another byte order give other values.
inline uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  uint64_t hash = (seed ^ bytes.size()) * kMultiplier;
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t word = 0;
  for (; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
    std::memcpy(&word, at, sizeof(word));
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  }
  word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  hash = (hash ^ word) * kMultiplier;
  // The finaliser of MurmurHash3.
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCD;
  hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53;
  return hash ^ (hash >> 33);
}

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_BYTE_HASH_H_
