#include "runtime/process/syscall_filter.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/process/filter_program.h"

namespace stile {
namespace {

struct Denied {
  const char* name;  // one that this machine's kernel headers do not know is left out
  int error;
};

constexpr Denied kDenied[] = {
    {"add_key", ENOSYS},
    {"keyctl", ENOSYS},
    {"request_key", ENOSYS},
    {"io_uring_setup", ENOSYS},
    {"io_uring_enter", ENOSYS},
    {"io_uring_register", ENOSYS},
    // Its flags lie in memory, where no filter sees them; libraries fall back on clone.
    {"clone3", ENOSYS},
    {"openat2", ENOSYS},
    {"mount", EPERM},
    {"umount", EPERM},
    {"umount2", EPERM},
    {"pivot_root", EPERM},
    {"fsopen", EPERM},
    {"fsconfig", EPERM},
    {"fsmount", EPERM},
    {"fspick", EPERM},
    {"move_mount", EPERM},
    {"open_tree", EPERM},
    {"mount_setattr", EPERM},
    {"setns", EPERM},
    {"process_vm_readv", EPERM},
    {"process_vm_writev", EPERM},
    {"bpf", EPERM},
    {"perf_event_open", EPERM},
    {"userfaultfd", EPERM},
    {"kexec_load", EPERM},
    {"kexec_file_load", EPERM},
    {"init_module", EPERM},
    {"finit_module", EPERM},
    {"delete_module", EPERM},
    {"swapon", EPERM},
    {"swapoff", EPERM},
    {"reboot", EPERM},
    {"acct", EPERM},
    {"quotactl", EPERM},
    {"quotactl_fd", EPERM},
    {"open_by_handle_at", EPERM},
    {"settimeofday", EPERM},
    {"stime", EPERM},
    {"clock_settime", EPERM},
    {"clock_settime64", EPERM},
    {"iopl", EPERM},
    {"ioperm", EPERM},
    {"syslog", EPERM},
};

constexpr unsigned kNamespaceFlags[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                        CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};
constexpr unsigned kOpenTemporary = O_TMPFILE & ~O_DIRECTORY;
constexpr unsigned kNewTime = 0x80;  // of unshare only: in clone these bits are a signal's

// Argument `number` (from 0) has all of `bits`. In place of libseccomp's macros, which are C.
scmp_arg_cmp HasBits(unsigned number, uint64_t bits) {
  return {number, SCMP_CMP_MASKED_EQ, bits, bits};
}

// Calls that give a file its mode, by the place of the mode among their arguments. Of some a mode
// only counts with a flag.
bool DenySetUserId(scmp_filter_ctx context) {
  struct Call {
    const char* name;
    unsigned mode;
    bool opens;  // flags stand before the mode
  };
  for (const Call& call : {Call{"chmod", 1, false},
                           {"fchmod", 1, false},
                           {"fchmodat", 2, false},
                           {"creat", 1, false},
                           {"mknod", 1, false},
                           {"mknodat", 2, false},
                           {"open", 2, true},
                           {"openat", 3, true}}) {
    const int number = seccomp_syscall_resolve_name(call.name);
    const scmp_arg_cmp mode = HasBits(call.mode, S_ISUID);
    if (!call.opens) {
      if (seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), number, 1, mode) != 0) return false;
      continue;
    }
    for (const unsigned flag : {static_cast<unsigned>(O_CREAT), kOpenTemporary}) {
      const scmp_arg_cmp flags = HasBits(call.mode - 1, flag);
      if (seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), number, 2, flags, mode) != 0) {
        return false;
      }
    }
  }
  constexpr int kFchmodat2 = 452;  // newer than libseccomp's table; the same on all machines
  return seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), kFchmodat2, 1, HasBits(2, S_ISUID)) == 0;
}

bool AddRules(scmp_filter_ctx context) {
  for (const Denied& denied : kDenied) {
    const int number = seccomp_syscall_resolve_name(denied.name);
    if (number == __NR_SCMP_ERROR) continue;
    const auto error = static_cast<uint16_t>(denied.error);
    if (seccomp_rule_add(context, SCMP_ACT_ERRNO(error), number, 0) != 0) return false;
  }
  const auto deny_flag = [&](int number, unsigned flag) {
    return seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), number, 1, HasBits(0, flag)) == 0;
  };
  for (const unsigned flag : kNamespaceFlags) {
    if (!deny_flag(SCMP_SYS(clone), flag) || !deny_flag(SCMP_SYS(unshare), flag)) return false;
  }
  return deny_flag(SCMP_SYS(unshare), kNewTime) && DenySetUserId(context);
}

}  // namespace

const sock_fprog* SyscallFilter() {
  static const sock_fprog* const kFilter = MakeFilter(AddRules);
  return kFilter;
}

std::string SyscallFilterBytes() {
  const sock_fprog* const filter = SyscallFilter();
  if (filter == nullptr) return "";
  return std::string(reinterpret_cast<const char*>(filter->filter),
                     filter->len * sizeof(sock_filter));
}

int InstallSyscallFilter(const sock_fprog* filter) {
  if (filter == nullptr) return 0;
  // The mitigation of speculation that is tied to filters otherwise costs compilers several
  // percent.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter) == 0) {
    return 0;
  }
  return errno == ENOSYS || errno == EINVAL ? 0 : errno;
}

}  // namespace stile
