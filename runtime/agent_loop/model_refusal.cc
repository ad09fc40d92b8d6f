#include "runtime/agent_loop/model_refusal.h"

namespace stile {

bool IsFinalRefusal(const absl::Status& status, bool is_first) {
  return absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status) ||
         absl::IsResourceExhausted(status) || absl::IsUnavailable(status) ||
         absl::IsDeadlineExceeded(status) ||
         ((absl::IsInvalidArgument(status) || absl::IsDataLoss(status)) && is_first);
}

}  // namespace stile
