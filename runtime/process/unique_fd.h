#ifndef STILE_RUNTIME_PROCESS_UNIQUE_FD_H_
#define STILE_RUNTIME_PROCESS_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace stile {

// Owns a file descriptor; -1 is none.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  ~UniqueFd() { Reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    Reset(std::exchange(other.fd_, -1));
    return *this;
  }

  int get() const { return fd_; }
  void Reset(int fd = -1) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_UNIQUE_FD_H_
