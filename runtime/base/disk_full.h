// Whether something failed for want of room on the disk.
#ifndef STILE_RUNTIME_BASE_DISK_FULL_H_
#define STILE_RUNTIME_BASE_DISK_FULL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stile {

// Whether the status is that of a system call (ErrnoStatus) that failed because the disk is full or
// the quota is used up. WithContext keeps it so.
bool IsDiskFull(const absl::Status& status);

// What to say of a failure that ended the run `run_id`, or a step or sub-agent of it: its message,
// and, where the disk is full, the command that goes on once there is room.
std::string FailureText(const absl::Status& status, absl::string_view run_id);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_DISK_FULL_H_
