#ifndef STILE_RUNTIME_BASE_CHECK_H_
#define STILE_RUNTIME_BASE_CHECK_H_

namespace stile {

// Prints the place and the condition on stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace stile

// For conditions that only a bug of ours can break; never for input.
#define STILE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::stile::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // STILE_RUNTIME_BASE_CHECK_H_
