#ifndef STILE_RUNTIME_BASE_IDS_H_
#define STILE_RUNTIME_BASE_IDS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace stile {

// A name for a run that sorts by start time and is unique on this machine:
// "20261121T101500-3f9a1c2b" (UTC, then 32 random bits). Letters, digits and '-' only.
std::string NewRunId(absl::Time now);

// From the kernel.
uint64_t RandomBits();

// `bytes` random bytes from the kernel, as hex.
std::string RandomHex(int bytes);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_IDS_H_
