// The system calls that no program in a sandbox may make: those that no build needs, and through
// which most ways out of sandboxes led. A seccomp filter: seccomp(2).
#ifndef STILE_RUNTIME_PROCESS_SYSCALL_FILTER_H_
#define STILE_RUNTIME_PROCESS_SYSCALL_FILTER_H_

#include <string>

struct sock_fprog;

namespace stile {

// The filter, made at the first call; null where libseccomp cannot make it. Lives as long as the
// process. Thread-safe.
//
// Denied, as container engines do it, with an error and not with a kill:
//   keyrings, io_uring, clone3                          ENOSYS, so that programs do without
//   mounts, new namespaces, setns, bpf, perf_event_open, userfaultfd, process_vm_*, modules, kexec,
//   swap, reboot, clocks, I/O ports, file handles       EPERM
//   chmod, open, mknod with the set-user-id bit         EPERM; openat2, whose mode lies in memory:
//   ENOSYS
// ptrace stays: LeakSanitizer, strace and debuggers need it, and only processes of the same command
// can be seen. So programs that make sandboxes of their own (chromium, bazel, bubblewrap) have to
// do without them inside.
const sock_fprog* SyscallFilter();

// The same as bytes, for `bwrap --seccomp`; "" where there is none.
std::string SyscallFilterBytes();

// Puts the calling process and all that comes of it under `filter`, for good; it needs
// no_new_privs. Async-signal-safe. 0 or an errno; a kernel that has no filters is 0.
int InstallSyscallFilter(const sock_fprog* filter);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_SYSCALL_FILTER_H_
