// How long to wait before something that failed is tried again.
#ifndef STILE_RUNTIME_BASE_BACKOFF_H_
#define STILE_RUNTIME_BASE_BACKOFF_H_

#include <algorithm>

#include "absl/time/time.h"

namespace stile {

// The pause after `failures` failures in a row: 1 s, doubled each time, 5 minutes at most.
inline absl::Duration PauseAfter(int failures) {
  constexpr int kDoublings = 9;
  return std::min(absl::Seconds(1 << std::clamp(failures, 0, kDoublings)), absl::Minutes(5));
}

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_BACKOFF_H_
