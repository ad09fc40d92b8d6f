#ifndef STILE_RUNTIME_WORKSPACE_FILE_LOCK_H_
#define STILE_RUNTIME_WORKSPACE_FILE_LOCK_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"

namespace stile {

// An exclusive lock between processes that goes with its holder, however that ends: flock(2) on a
// file made for it. Who removes the file while holding it leaves no lock behind.
class FileLock {
 public:
  enum class Wait { kYes, kNo };
  FileLock() = default;
  FileLock(const std::string& path, Wait wait);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  // False: somebody else has it, or the file cannot be made.
  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Waits until the lock is free. DeadlineExceeded after `timeout`; Cancelled by
// `cancellation`, which may be null; Unavailable where the file cannot be made. `clock` is not
// owned.
absl::StatusOr<FileLock> AwaitFileLock(const std::string& path, absl::Duration timeout,
                                       Clock* clock, const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_FILE_LOCK_H_
