#ifndef STILE_RUNTIME_SYNTAX_CPU_TIME_H_
#define STILE_RUNTIME_SYNTAX_CPU_TIME_H_

#include <time.h>

#include <cstdint>

namespace stile {

// Processor time of this thread, so that the load of the machine does not matter to a budget.
inline int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_CPU_TIME_H_
