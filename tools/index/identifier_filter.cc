#include "tools/index/identifier_filter.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/base/text.h"
#include "tools/index/byte_hash.h"

namespace stile {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr int kBitsPerName = 3;
// Code has a new identifier about every 20 bytes: 10 bits for each, of which one in thirty is
// mistaken for another.
constexpr size_t kTextBytesPerBlock = 1100;
constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;

// The highest bit of each byte that may be part of an identifier, see IsIdentifierByte: eight at a
// time, because whole workspaces go through this.
uint64_t IdentifierBits(uint64_t bytes) {
  constexpr uint64_t kEach = 0x0101010101010101;
  constexpr uint64_t kHigh = kEach * 0x80;
  const uint64_t low = bytes & ~kHigh;
  // Of bytes below 0x80: whether they are at least `c`.
  const auto at_least = [&](uint64_t in, char c) {
    return in + kEach * (0x80 - static_cast<uint64_t>(c));
  };
  const uint64_t lower = low | kEach * 0x20;
  const uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1) &
                          at_least(low, 'A');  // what '!' … '?' become is no letter anyway
  const uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
  const auto equals = [&](char c) { return ~((low ^ kEach * static_cast<uint64_t>(c)) + ~kHigh); };
  return (letter | digit | equals('_') | equals('$') | bytes) & kHigh;
}

// One bit a byte, the first byte lowest.
uint64_t MaskOf(const char* at) {
  constexpr size_t kWords = 8;
  uint64_t mask = 0;
  for (size_t i = 0; i < kWords; ++i) {
    uint64_t word;
    std::memcpy(&word, at + i * sizeof(word), sizeof(word));
    mask |= ((IdentifierBits(word) >> 7) * 0x0102040810204080 >> 56) << (i * 8);
  }
  return mask;
}

// Calls `use` with the place and size of each longest run of bytes that may be an identifier.
template <typename Use>
void ForEachRun(absl::string_view text, const Use& use) {
  constexpr size_t kStep = 64;
  size_t begin = 0;
  uint64_t is_open = 0;
  std::array<char, kStep> rest{};
  for (size_t base = 0; base <= text.size(); base += kStep) {
    const char* from = text.data() + base;
    if (text.size() - base < kStep) {  // zeros end the last run
      std::copy(from, text.data() + text.size(), rest.begin());
      from = rest.data();
    }
    const uint64_t mask = MaskOf(from);
    for (uint64_t edges = mask ^ (mask << 1 | is_open); edges != 0; edges &= edges - 1) {
      const size_t at = base + static_cast<size_t>(__builtin_ctzll(edges));
      if (is_open != 0) use(begin, at - begin);
      begin = at;
      is_open ^= 1;
    }
  }
}

uint64_t HashRun(absl::string_view text, size_t begin, size_t size) {
  constexpr size_t kWord = sizeof(uint64_t);
  constexpr uint64_t kAll = ~uint64_t{0};
  if (size > 2 * kWord) return HashBytes(text.substr(begin, size));
  uint64_t first = 0;
  uint64_t second = 0;
  if (text.size() - begin >= 2 * kWord) {
    std::memcpy(&first, text.data() + begin, kWord);
    std::memcpy(&second, text.data() + begin + kWord, kWord);
    const size_t in_second = size > kWord ? size - kWord : 0;
    first &= kAll >> (64 - 8 * (size - in_second));
    second &= ~(kAll << 8 * (in_second % kWord)) | (in_second == kWord ? kAll : 0);
  } else {
    const size_t in_second = size > kWord ? size - kWord : 0;
    std::memcpy(&first, text.data() + begin, size - in_second);
    if (in_second > 0) std::memcpy(&second, text.data() + begin + kWord, in_second);
  }
  const uint64_t hash = (first ^ size ^ (second * kMultiplier) >> 7) * kMultiplier;
  return hash ^ hash >> 32;
}

size_t BlockOf(uint64_t hash, size_t blocks) {
  return static_cast<size_t>(((hash >> 32) * blocks) >> 32);
}

// Calls `use` with the number of each bit in the block.
template <typename Use>
void ForEachBit(uint64_t hash, const Use& use) {
  uint64_t bits = (hash & 0xFFFF'FFFF) * kMultiplier;
  for (int i = 0; i < kBitsPerName; ++i, bits <<= 9) use(static_cast<size_t>(bits >> 55));
}

}  // namespace

std::string MakeIdentifierFilter(absl::string_view text) {
  const size_t blocks = std::max<size_t>(1, text.size() / kTextBytesPerBlock);
  std::string filter(blocks * kBlockBytes, '\0');
  ForEachRun(text, [&](size_t begin, size_t size) {
    const uint64_t hash = HashRun(text, begin, size);
    char* const block = filter.data() + BlockOf(hash, blocks) * kBlockBytes;
    ForEachBit(hash, [&](size_t bit) {
      block[bit / 8] =
          static_cast<char>(static_cast<unsigned char>(block[bit / 8]) | 1U << bit % 8);
    });
  });
  return filter;
}

IdentifierProbe::IdentifierProbe(absl::string_view word) {
  ForEachRun(word,
             [&](size_t begin, size_t size) { hashes_.push_back(HashRun(word, begin, size)); });
}

bool IdentifierProbe::MayBeIn(absl::string_view filter) const {
  const size_t blocks = filter.size() / kBlockBytes;
  if (blocks == 0 || filter.size() % kBlockBytes != 0) return true;
  return std::all_of(hashes_.begin(), hashes_.end(), [&](uint64_t hash) {
    const char* const block = filter.data() + BlockOf(hash, blocks) * kBlockBytes;
    bool has_all = true;
    ForEachBit(hash, [&](size_t bit) {
      has_all = has_all && (static_cast<unsigned char>(block[bit / 8]) >> bit % 8 & 1U) != 0;
    });
    return has_all;
  });
}

}  // namespace stile
