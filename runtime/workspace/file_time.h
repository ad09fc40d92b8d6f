#ifndef STILE_RUNTIME_WORKSPACE_FILE_TIME_H_
#define STILE_RUNTIME_WORKSPACE_FILE_TIME_H_

#include <time.h>

#include <cstdint>

namespace stile {

inline int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Whether what has this stamp was written before the moment for certain, and anything written after
// it gets another stamp (git calls files of which that is not so "racily clean"). Stamps come from
// a clock that ticks every 1 to 10 ms; some file systems keep whole seconds or two.
inline bool SafelyBefore(int64_t stamp_ns, int64_t moment_ns) {
  constexpr int64_t kTickNs = 50'000'000;
  constexpr int64_t kCoarseTickNs = 2'000'000'000;
  return stamp_ns + (stamp_ns % 1'000'000'000 == 0 ? kCoarseTickNs : kTickNs) < moment_ns;
}

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_FILE_TIME_H_
