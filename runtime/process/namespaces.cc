#include "runtime/process/namespaces.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/process/syscall_filter.h"

namespace stile {
namespace {

// Folders in memory count in no limit of the process tree.
constexpr char kSharedMemory[] = "mode=1777,size=1073741824";
// Parts of /proc that a root without capabilities could still write, by their permissions alone.
constexpr const char* kWritableProc[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
                                         "/proc/bus"};
// Names of keys, those of Stile's own session among them.
constexpr const char* kHiddenProc[] = {"/proc/keys", "/proc/key-users"};
constexpr unsigned long kNoPrograms = MS_NOSUID | MS_NODEV | MS_NOEXEC;

absl::StatusOr<UniqueFd> Open(pid_t pid, const char* name) {
  const std::string path = absl::StrCat("/proc/", pid, "/ns/", name);
  UniqueFd opened(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0) return ErrnoStatus(errno, "open", path);
  // Above 3, as SupervisorPlan wants them.
  UniqueFd fd(fcntl(opened.get(), F_DUPFD_CLOEXEC, 4));
  if (fd.get() < 0) return ErrnoStatus(errno, "duplicate", path);
  return fd;
}

bool IsSame(const UniqueFd& a, const UniqueFd& b) {
  struct stat one {};
  struct stat other {};
  return fstat(a.get(), &one) == 0 && fstat(b.get(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

void DropCapabilities() {
  for (int capability = 0; capability < 64; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Namespaces>> Namespaces::Of(pid_t pid) {
  auto made = std::shared_ptr<Namespaces>(new Namespaces());
  STILE_ASSIGN_OR_RETURN(made->mount_, Open(pid, "mnt"));
  STILE_ASSIGN_OR_RETURN(made->user_, Open(pid, "user"));
  STILE_ASSIGN_OR_RETURN(made->network_, Open(pid, "net"));
  UniqueFd owner(ioctl(made->mount_.get(), NS_GET_USERNS));
  if (owner.get() < 0) return ErrnoStatus(errno, "look up", "the owner of a namespace");
  made->owner_.Reset(fcntl(owner.get(), F_DUPFD_CLOEXEC, 4));
  if (made->owner_.get() < 0) return ErrnoStatus(errno, "duplicate", "a namespace");

  STILE_ASSIGN_OR_RETURN(const UniqueFd own_user, Open(getpid(), "user"));
  if (IsSame(made->owner_, own_user)) {
    return absl::FailedPreconditionError("the sandbox has no user namespace of its own");
  }
  STILE_ASSIGN_OR_RETURN(const UniqueFd own_network, Open(getpid(), "net"));
  if (IsSame(made->network_, own_network)) made->network_.Reset();
  if (IsSame(made->user_, made->owner_)) made->user_.Reset();
  made->fds_ = {made->owner_.get(), made->mount_.get(), made->network_.get(), made->user_.get(),
                SyscallFilter()};
  return std::shared_ptr<const Namespaces>(std::move(made));
}

int JoinNamespaces(const NamespaceFds& fds) {
  const bool joined = setns(fds.owner, CLONE_NEWUSER) == 0 && setns(fds.mount, CLONE_NEWNS) == 0 &&
                      (fds.network < 0 || setns(fds.network, CLONE_NEWNET) == 0) &&
                      unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) == 0;
  return joined ? 0 : errno;
}

int SettleInNamespaces(const NamespaceFds& fds) {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("proc", "/proc", "proc", kNoPrograms, nullptr) != 0 ||
      mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, kSharedMemory) != 0) {
    return errno;
  }
  for (const char* path : kWritableProc) {
    if (mount(path, path, nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      if (errno == ENOENT) continue;
      return errno;
    }
    if (mount(nullptr, path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | kNoPrograms, nullptr) !=
        0) {
      return errno;
    }
  }
  for (const char* path : kHiddenProc) {
    if (mount("/dev/null", path, nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) return errno;
  }
  if (fds.user >= 0 && setns(fds.user, CLONE_NEWUSER) != 0) return errno;
  // Keys of the session that Stile runs in are nothing for programs. Where there are no keyrings,
  // or no more, the filter keeps them from asking.
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  DropCapabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // Until a program replaces it, a process holds a copy of all that the one it came from knew.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return InstallSyscallFilter(fds.filter);
}

}  // namespace stile
