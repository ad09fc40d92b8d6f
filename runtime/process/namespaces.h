// The namespaces of a sandbox that was made once, for many programs to run in. Making one costs ten
// times what entering it does: namespaces(7), setns(2), pid_namespaces(7).
#ifndef STILE_RUNTIME_PROCESS_NAMESPACES_H_
#define STILE_RUNTIME_PROCESS_NAMESPACES_H_

#include <sys/types.h>

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/process/unique_fd.h"

struct sock_fprog;

namespace stile {

// Descriptors of namespaces; -1: that of the caller.
struct NamespaceFds {
  int owner = -1;                      // the user namespace that may change the mounts
  int mount = -1;                      // with everything that its programs see
  int network = -1;                    // a network of its own
  int user = -1;                       // below `owner`, for the programs
  const sock_fprog* filter = nullptr;  // of their system calls; lives as long as the process
};

// Lives on without any process in it, for as long as this object does. Immutable, thread-safe.
class Namespaces {
 public:
  // Those in which process `pid` runs; a user namespace of its own is among them.
  static absl::StatusOr<std::shared_ptr<const Namespaces>> Of(pid_t pid);

  const NamespaceFds& fds() const { return fds_; }

 private:
  Namespaces() = default;
  UniqueFd owner_, mount_, network_, user_;
  NamespaceFds fds_;
};

// The next two are for forked children: async-signal-safe, 0 or an errno.
//
// Joins the namespaces; processes forked from now on are in new ones for processes, IPC and host
// name, and see mounts of their own. Fork one next: it becomes the first process of its namespace.
int JoinNamespaces(const NamespaceFds& fds);
// In that process: /proc, /dev/shm and a session keyring of its own, no capabilities and fewer
// system calls for it and what it starts, and none of those can look into it.
int SettleInNamespaces(const NamespaceFds& fds);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_NAMESPACES_H_
