// A library for LD_PRELOAD that makes a program die, or one of its system calls fail, at a chosen
// point. tests/cli/fault_runs.py is its user.
//
// What is counted: the calls by which a program changes files or starts processes, as functions of
// the C library: opening with O_CREAT or O_TRUNC, writing, syncing, cutting, renaming, linking,
// removing, making and removing folders, modes and times, fork, threads. Writes and syncs count
// only on regular files and folders: pipes and terminals are nobody's state. Calls that libc makes
// within itself (fopen's open, system()'s clone) and inlined system calls are not seen; Stile has
// none of them on its way to a file.
//
// Whose: only those of the process that was started with it. The constructor takes the variables
// out of the environment, so that programs which that process starts never load the library, and
// forked copies (Stile's supervisors) are told apart by their process id. vfork is not replaced:
// a function that returns would ruin the stack of its parent, and only the supervisors use it.
//
//   STILE_FAULT_LOG=FILE     append a line "NUMBER CALL PATH" for every counted call, before it
//   STILE_FAULT_AT=N         act at the N-th call (from 1)
//   STILE_FAULT_WHEN=before  SIGKILL in place of the call (the default)
//                    after   SIGKILL once the call has returned
//                    torn    a write writes half of its bytes first; other calls as `before`
//   STILE_FAULT_ERROR=NAME   in place of dying: the call fails with ENOSPC or EIO (fork and
//   threads: EAGAIN);
//                            for a torn write, half is written and the next write fails
//   STILE_FAULT_STICKY=1     with an error: all later calls that need space fail, too
//
// Anything else in these variables ends the program with status 99, so that a misspelt one is no
// test that passes.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

enum class When { kBefore, kAfter, kTorn };
// What a call does, as far as a full disk is concerned.
enum class Kind { kWrite, kNeedsSpace, kOther, kFork };

struct Settings {
  pid_t pid = 0;  // 0: nothing is counted
  int log_fd = -1;
  long at = 0;
  When when = When::kBefore;
  int error = 0;
  bool sticky = false;
};

Settings g_settings;
std::atomic<long> g_calls{0};
std::atomic<bool> g_next_write_fails{false};

[[noreturn]] void Misused(const char* name) {
  dprintf(2, "fault_preload: %s is not understood\n", name);
  _exit(99);
}

// The value of a variable, which leaves the environment.
const char* Take(const char* name, char* buffer, size_t size) {
  const char* value = getenv(name);
  if (value == nullptr) return nullptr;
  if (strlen(value) >= size) Misused(name);
  strcpy(buffer, value);  // NOLINT(clang-analyzer-security.insecureAPI.strcpy): measured above
  unsetenv(name);
  return buffer;
}

__attribute__((constructor)) void ReadSettings() {
  char buffer[4096];
  unsetenv("LD_PRELOAD");
  if (const char* path = Take("STILE_FAULT_LOG", buffer, sizeof(buffer))) {
    const long fd =
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Out of the way of programs that count their descriptors.
    g_settings.log_fd = fcntl(static_cast<int>(fd), F_DUPFD_CLOEXEC, 500);
    if (g_settings.log_fd < 0) Misused("STILE_FAULT_LOG");
    syscall(SYS_close, fd);
  }
  if (const char* at = Take("STILE_FAULT_AT", buffer, sizeof(buffer))) {
    char* end = nullptr;
    g_settings.at = strtol(at, &end, 10);
    if (*end != '\0' || g_settings.at < 1) Misused("STILE_FAULT_AT");
  }
  if (const char* when = Take("STILE_FAULT_WHEN", buffer, sizeof(buffer))) {
    if (strcmp(when, "before") == 0) {
      g_settings.when = When::kBefore;
    } else if (strcmp(when, "after") == 0) {
      g_settings.when = When::kAfter;
    } else if (strcmp(when, "torn") == 0) {
      g_settings.when = When::kTorn;
    } else {
      Misused("STILE_FAULT_WHEN");
    }
  }
  if (const char* error = Take("STILE_FAULT_ERROR", buffer, sizeof(buffer))) {
    g_settings.error = strcmp(error, "ENOSPC") == 0 ? ENOSPC : strcmp(error, "EIO") == 0 ? EIO : 0;
    if (g_settings.error == 0) Misused("STILE_FAULT_ERROR");
  }
  if (const char* sticky = Take("STILE_FAULT_STICKY", buffer, sizeof(buffer))) {
    if (strcmp(sticky, "1") != 0 || g_settings.error == 0) Misused("STILE_FAULT_STICKY");
    g_settings.sticky = true;
  }
  // Finds the real write now: a forked copy must not have to while another thread holds the
  // loader's lock.
  if (write(-1, "", 0) == 0) Misused("descriptor -1");
  g_settings.pid = getpid();
}

[[noreturn]] void Die() {
  for (;;) syscall(SYS_kill, getpid(), SIGKILL);
}

void Log(long number, const char* name, const char* path) {
  if (g_settings.log_fd < 0) return;
  char line[4400];
  int size = snprintf(line, sizeof(line), "%ld %s %s\n", number, name, path);
  if (size >= static_cast<int>(sizeof(line))) size = sizeof(line) - 1;
  if (syscall(SYS_write, g_settings.log_fd, line, size) != size) Misused("the log");
}

// What a function is to do in place of, and after, the real call.
enum class Action { kPass, kFail, kDieAfter, kTear };

// Counts a call. Dies here when that is what is asked for; sets errno for kFail.
Action Count(const char* name, const char* path, Kind kind) {
  if (g_settings.pid == 0 || getpid() != g_settings.pid) return Action::kPass;
  const long number = ++g_calls;
  Log(number, name, path == nullptr ? "" : path);
  const bool needs_space = kind == Kind::kWrite || kind == Kind::kNeedsSpace;
  const bool later = g_settings.sticky && g_settings.at > 0 && number > g_settings.at;
  if ((later && needs_space) || (kind == Kind::kWrite && g_next_write_fails.exchange(false))) {
    errno = g_settings.error;
    return Action::kFail;
  }
  if (number != g_settings.at) return Action::kPass;
  if (kind == Kind::kWrite && g_settings.when == When::kTorn) return Action::kTear;
  if (g_settings.error != 0) {
    errno = kind == Kind::kFork ? EAGAIN : g_settings.error;
    return Action::kFail;
  }
  if (g_settings.when == When::kAfter) return Action::kDieAfter;
  Die();
}

// The same for a descriptor; what is neither a file nor a folder passes uncounted.
Action CountFd(const char* name, int fd, Kind kind) {
  struct stat info {};
  const int error = errno;
  if (g_settings.pid == 0 || fstat(fd, &info) != 0 ||
      (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
    errno = error;
    return Action::kPass;
  }
  char link[64];
  char path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof(path) - 1);
  path[size < 0 ? 0 : size] = '\0';
  errno = error;
  return Count(name, path, kind);
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <typename Result>
Result Done(Action action, Result result) {
  if (action == Action::kDieAfter) Die();
  return result;
}

// After half of a write: death, or the failure of the next one, as a full disk does it.
template <typename Result>
Result Torn(Result result) {
  if (g_settings.error == 0) Die();
  g_next_write_fails = true;
  return result;
}

}  // namespace

// Calls the function of that name which this one hides.
#define NEXT(name) (Next<decltype(&(name))>(#name))

#define COUNTED(name, kind, path, parameters, arguments)                \
  extern "C" int name parameters {                                      \
    static const auto next = NEXT(name);                                \
    const Action action = Count(#name, path, Kind::kind);               \
    return action == Action::kFail ? -1 : Done(action, next arguments); \
  }

#define COUNTED_FD(name, kind, parameters, arguments)                   \
  extern "C" int name parameters {                                      \
    static const auto next = NEXT(name);                                \
    const Action action = CountFd(#name, fd, Kind::kind);               \
    return action == Action::kFail ? -1 : Done(action, next arguments); \
  }

// Opening counts where it can make or empty a file. The mode follows the flags only then.
#define COUNTED_OPEN(name, first_parameters, first_arguments)                                  \
  extern "C" int name first_parameters {                                                       \
    static const auto next = NEXT(name);                                                       \
    va_list more;                                                                              \
    va_start(more, flags);                                                                     \
    const mode_t mode =                                                                        \
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                              \
    if ((flags & (O_CREAT | O_TRUNC)) == 0) return next first_arguments;                       \
    const Action action = Count(#name, path, Kind::kNeedsSpace);                               \
    return action == Action::kFail ? -1 : Done(action, next first_arguments);                  \
  }

COUNTED_OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
COUNTED_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
COUNTED_OPEN(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
COUNTED_OPEN(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
COUNTED(creat, kNeedsSpace, path, (const char* path, mode_t mode), (path, mode))

COUNTED_FD(fsync, kNeedsSpace, (int fd), (fd))
COUNTED_FD(fdatasync, kNeedsSpace, (int fd), (fd))
COUNTED_FD(ftruncate, kOther, (int fd, off_t size), (fd, size))
COUNTED_FD(ftruncate64, kOther, (int fd, off64_t size), (fd, size))
COUNTED_FD(fchmod, kOther, (int fd, mode_t mode), (fd, mode))

COUNTED(rename, kNeedsSpace, to, (const char* from, const char* to), (from, to))
COUNTED(renameat, kNeedsSpace, to, (int a, const char* from, int b, const char* to),
        (a, from, b, to))
COUNTED(renameat2, kNeedsSpace, to,
        (int a, const char* from, int b, const char* to, unsigned flags), (a, from, b, to, flags))
COUNTED(link, kNeedsSpace, to, (const char* from, const char* to), (from, to))
COUNTED(linkat, kNeedsSpace, to, (int a, const char* from, int b, const char* to, int flags),
        (a, from, b, to, flags))
COUNTED(symlink, kNeedsSpace, to, (const char* from, const char* to), (from, to))
COUNTED(unlink, kOther, path, (const char* path), (path))
COUNTED(unlinkat, kOther, path, (int folder, const char* path, int flags), (folder, path, flags))
COUNTED(remove, kOther, path, (const char* path), (path))
COUNTED(mkdir, kNeedsSpace, path, (const char* path, mode_t mode), (path, mode))
COUNTED(mkdirat, kNeedsSpace, path, (int folder, const char* path, mode_t mode),
        (folder, path, mode))
COUNTED(rmdir, kOther, path, (const char* path), (path))
COUNTED(chmod, kOther, path, (const char* path, mode_t mode), (path, mode))
COUNTED(utimensat, kOther, path,
        (int folder, const char* path, const struct timespec times[2], int flags),
        (folder, path, times, flags))
COUNTED(truncate, kOther, path, (const char* path, off_t size), (path, size))

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  static const auto next = NEXT(pthread_create);
  const Action action = Count("pthread_create", nullptr, Kind::kFork);
  return action == Action::kFail ? errno : Done(action, next(thread, attributes, body, argument));
}

extern "C" pid_t fork() {
  static const auto next = NEXT(fork);
  const Action action = Count("fork", nullptr, Kind::kFork);
  if (action == Action::kFail) return -1;
  const pid_t pid = next();
  return pid == 0 ? pid : Done(action, pid);
}

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto next = NEXT(write);
  const Action action = CountFd("write", fd, Kind::kWrite);
  if (action == Action::kFail) return -1;
  if (action == Action::kTear) return Torn(next(fd, bytes, size / 2));
  return Done(action, next(fd, bytes, size));
}

extern "C" ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  static const auto next = NEXT(pwrite);
  const Action action = CountFd("pwrite", fd, Kind::kWrite);
  if (action == Action::kFail) return -1;
  if (action == Action::kTear) return Torn(next(fd, bytes, size / 2, offset));
  return Done(action, next(fd, bytes, size, offset));
}

extern "C" ssize_t writev(int fd, const struct iovec* parts, int count) {
  static const auto next = NEXT(writev);
  const Action action = CountFd("writev", fd, Kind::kWrite);
  if (action == Action::kFail) return -1;
  if (action == Action::kTear) return Torn(write(fd, parts[0].iov_base, parts[0].iov_len / 2));
  return Done(action, next(fd, parts, count));
}
