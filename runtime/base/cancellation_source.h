// The cancellation of an object that works for several callers, one after the other.
#ifndef STILE_RUNTIME_BASE_CANCELLATION_SOURCE_H_
#define STILE_RUNTIME_BASE_CANCELLATION_SOURCE_H_

#include <functional>

#include "runtime/base/cancellation.h"

namespace stile {

// Gives the cancellation of the work that is being done now, or null: for an object that works for
// several callers, one after the other. Empty: nothing is cancelled.
using CancellationSource = std::function<const Cancellation*()>;

inline bool IsCancelled(const CancellationSource& source) {
  const Cancellation* const cancellation = source ? source() : nullptr;
  return cancellation != nullptr && cancellation->cancelled();
}

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_CANCELLATION_SOURCE_H_
