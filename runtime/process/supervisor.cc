#include "runtime/process/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/process/file_observer.h"
#include "runtime/process/process_tree.h"

namespace stile {
namespace {

// How long a killed process may take to go. Only one stuck in the kernel, or one that we may not
// signal (set-user-id), takes longer; the caller must not hang for those.
constexpr int kKillPatienceMs = 10'000;
constexpr int kRescanMs = 20;
// How long programs have to end by themselves once Stile has died: git removes its lock files then,
// which would stop whoever goes on with the run.
constexpr int kOrphanGraceMs = 1'000;

// Untouched pages cost nothing; the forked process has its own copy.
ProcessEntry g_entries[kMaxProcessEntries];

int64_t NowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void Report(int fd, SupervisorReport::Kind kind, int value, int leftovers = 0) {
  const SupervisorReport report{kind, value, leftovers};
  while (write(fd, &report, sizeof(report)) < 0 && errno == EINTR) {
  }
}

void CloseRange(unsigned first, unsigned last) {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t fd = first; fd <= last && fd < limit.rlim_cur; ++fd) close(static_cast<int>(fd));
}

// Closes what was inherited: above all the pipes of other programs that run at the same time.
void CloseAllBut(const SupervisorPlan& plan) {
  const NamespaceFds none;
  const NamespaceFds& inside = plan.namespaces == nullptr ? none : *plan.namespaces;
  int keep[] = {plan.stdin_fd, plan.stdout_fd, plan.stderr_fd, plan.control_fd, plan.status_fd,
                inside.owner,  inside.mount,   inside.network, inside.user,     plan.observer_fd};
  constexpr int kCount = sizeof(keep) / sizeof(keep[0]);
  for (int i = 1; i < kCount; ++i) {
    for (int j = i; j > 0 && keep[j] < keep[j - 1]; --j) {
      const int swapped = keep[j];
      keep[j] = keep[j - 1];
      keep[j - 1] = swapped;
    }
  }
  unsigned next = 0;
  for (const int fd : keep) {
    if (fd < 0) continue;
    if (static_cast<unsigned>(fd) > next) CloseRange(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  CloseRange(next, ~0U);
}

void ResetSignalDispositions() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &action, nullptr);
}

[[noreturn]] void BecomeProgram(const SupervisorPlan& plan) {
  setsid();
  // From here, because a program may kill the supervisor before that gets to run again. Of one in
  // namespaces it was told before: the number that it sees is only theirs.
  if (plan.namespaces == nullptr) Report(plan.status_fd, SupervisorReport::kStarting, getpid());
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) {
    Report(plan.status_fd, SupervisorReport::kChdirFailed, errno);
    _exit(127);
  }
  dup2(plan.stdin_fd, 0);
  dup2(plan.stdout_fd, 1);
  dup2(plan.stderr_fd, 2);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Where the kernel refuses, Stile is told by the end of the socket.
  if (plan.observer != nullptr) ObserveThisProcess(plan.observer, plan.observer_fd);
  execve(plan.program, plan.argv, plan.envp);
  // A file just written is "busy" while a process forked meanwhile still holds the writer's
  // descriptor; that passes as soon as it has closed it.
  for (int attempt = 0; errno == ETXTBSY && attempt < 200; ++attempt) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    execve(plan.program, plan.argv, plan.envp);
  }
  Report(plan.status_fd, SupervisorReport::kExecFailed, errno);
  _exit(127);
}

// vfork saves copying the page tables a second time. Nothing here returns from the child, and
// the child changes no variable of its parent.
__attribute__((noinline)) pid_t StartProgram(const SupervisorPlan& plan) {
  const pid_t pid = vfork();          // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) BecomeProgram(plan);  // NOLINT(clang-analyzer-unix.Vfork)
  return pid;
}

void CloseStreams(const SupervisorPlan& plan) {
  close(plan.stdin_fd);
  close(plan.stdout_fd);
  close(plan.stderr_fd);
  if (plan.observer_fd >= 0) close(plan.observer_fd);
}

// Those besides the caller and the dead, by the caller's own /proc.
int CountOthers() {
  const size_t count = ListProcesses(g_entries, kMaxProcessEntries);
  int others = 0;
  for (size_t i = 0; i < count; ++i) others += g_entries[i].zombie ? 0 : 1;
  return others - 1;
}

[[noreturn]] void Fail(const SupervisorPlan& plan, SupervisorReport::Kind kind, int error) {
  Report(plan.status_fd, kind, error);
  _exit(127);
}

// The first process of a process namespace: reaps there, and ends with the program, which ends
// everything else there.
[[noreturn]] void BecomeFirst(const SupervisorPlan& plan) {
  setsid();
  prctl(PR_SET_NAME, "stile-init");
  close(plan.control_fd);
  const int error = SettleInNamespaces(*plan.namespaces);
  if (error != 0) Fail(plan, SupervisorReport::kEnterFailed, error);
  const pid_t program = StartProgram(plan);
  if (program < 0) Fail(plan, SupervisorReport::kForkFailed, errno);
  Report(plan.status_fd, SupervisorReport::kRunning, 0);
  CloseStreams(plan);
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(-1, &status, 0)) != program) {
    if (ended < 0 && errno != EINTR) _exit(127);
  }
  const int program_status = status;
  while (waitpid(-1, &status, WNOHANG) > 0) {
  }
  Report(plan.status_fd, SupervisorReport::kProgramEnded, program_status, CountOthers());
  _exit(0);
}

// Enters the namespaces, starts their first process, and leaves it to the supervisor, the reaper of
// all below it.
[[noreturn]] void Enter(const SupervisorPlan& plan, int pid_fd) {
  const int error = JoinNamespaces(*plan.namespaces);
  if (error != 0) Fail(plan, SupervisorReport::kEnterFailed, error);
  const pid_t first = fork();
  if (first < 0) Fail(plan, SupervisorReport::kForkFailed, errno);
  if (first == 0) BecomeFirst(plan);
  Report(plan.status_fd, SupervisorReport::kStarting, first);
  while (write(pid_fd, &first, sizeof(first)) < 0 && errno == EINTR) {
  }
  _exit(0);
}

// The pid of the first process in the namespaces; -1 when that was reported to have failed.
pid_t StartInside(const SupervisorPlan& plan) {
  int fds[2];
  pid_t first = -1;
  if (pipe2(fds, O_CLOEXEC) != 0) {
    Report(plan.status_fd, SupervisorReport::kForkFailed, errno);
    return first;
  }
  const pid_t entering = fork();
  if (entering == 0) Enter(plan, fds[1]);
  if (entering < 0) Report(plan.status_fd, SupervisorReport::kForkFailed, errno);
  close(fds[1]);
  ssize_t size;
  while ((size = read(fds[0], &first, sizeof(first))) < 0 && errno == EINTR) {
  }
  if (size != sizeof(first)) first = -1;
  close(fds[0]);
  while (waitpid(entering, nullptr, 0) < 0 && errno == EINTR) {
  }
  return first;
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorPlan& plan) : plan_(plan) {}

  void Run() {
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    signal_fd_ = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    if (plan_.namespaces != nullptr) {
      program_ = StartInside(plan_);
      if (program_ < 0) return;
    } else {
      program_ = StartProgram(plan_);
      if (program_ < 0) {
        Report(plan_.status_fd, SupervisorReport::kForkFailed, errno);
        return;
      }
      Report(plan_.status_fd, SupervisorReport::kRunning, 0);
    }
    CloseStreams(plan_);
    const bool ended_by_itself = WaitForEnd();
    const int leftovers = KillEverything(ended_by_itself);
    Report(plan_.status_fd, SupervisorReport::kEnded, wait_status_, leftovers);
  }

 private:
  // True when the program ended; false when everything is to be killed.
  bool WaitForEnd() {
    pollfd entries[] = {{signal_fd_, POLLIN, 0}, {plan_.control_fd, POLLIN, 0}};
    while (!Reap()) {
      // Without the descriptor for signals (there may be none left) it looks by itself.
      if (poll(entries, 2, signal_fd_ < 0 ? kRescanMs : -1) < 0) continue;
      DrainSignals();
      if (entries[1].revents == 0) continue;
      char command = kKill;
      const ssize_t size = read(plan_.control_fd, &command, 1);
      if (size < 0 && errno == EINTR) continue;
      if (size > 0 && command == kKill) return Reap();
      SignalDescendants(SIGTERM);
      SignalDescendants(SIGCONT);  // a stopped process cannot comply
      if (size <= 0) return WaitForOrphans();
    }
    return true;
  }

  // As WaitForEnd, but for a moment only.
  bool WaitForOrphans() {
    const int64_t deadline_ms = NowMs() + kOrphanGraceMs;
    while (!Reap() && NowMs() < deadline_ms) {
      pollfd entry{signal_fd_, POLLIN, 0};
      poll(&entry, 1, kRescanMs);
      DrainSignals();
    }
    return program_reaped_;
  }

  // Collects the dead. True once the program is among them.
  bool Reap() {
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != program_) continue;
      wait_status_ = status;
      program_reaped_ = true;
    }
    none_left_ = pid < 0 && errno == ECHILD;
    return program_reaped_;
  }

  // Returns how many processes it signalled.
  int SignalDescendants(int number) {
    const size_t count = ListDescendants(getpid(), g_entries, kMaxProcessEntries);
    int alive = 0;
    bool group_alive = false;
    for (size_t i = 0; i < count; ++i) {
      if (g_entries[i].zombie) continue;
      ++alive;
      group_alive |= g_entries[i].group == program_;
    }
    // The group first and at once: its members cannot fork away from the signal.
    if (group_alive && number == SIGKILL) kill(-program_, number);
    for (size_t i = 0; i < count; ++i) {
      if (!g_entries[i].zombie) kill(g_entries[i].pid, number);
    }
    return alive;
  }

  // Until nothing is left. As subreaper we are the parent of every orphan below, so having no
  // children means that all are gone. Returns how many ran on after the program's own end.
  int KillEverything(bool ended_by_itself) {
    int leftovers = 0;
    const int64_t deadline_ms = NowMs() + kKillPatienceMs;
    // The first process of a namespace takes all others there with it: at once, however many there
    // are by now, and however fast they make new ones.
    if (plan_.namespaces != nullptr && !program_reaped_) kill(program_, SIGKILL);
    for (bool first = true; !none_left_ && NowMs() < deadline_ms; first = false) {
      const int alive = SignalDescendants(SIGKILL);
      if (first && ended_by_itself) leftovers = alive;
      Reap();
      if (none_left_) break;
      pollfd entry{signal_fd_, POLLIN, 0};
      poll(&entry, 1, kRescanMs);
      DrainSignals();
      Reap();
    }
    return leftovers;
  }

  void DrainSignals() {
    signalfd_siginfo info;
    while (read(signal_fd_, &info, sizeof(info)) > 0) {
    }
  }

  const SupervisorPlan& plan_;
  int signal_fd_ = -1;
  pid_t program_ = -1;
  bool program_reaped_ = false;
  bool none_left_ = false;
  int wait_status_ = SIGKILL;  // as if killed, for one that will not die
};

}  // namespace

void RunSupervisor(const SupervisorPlan& plan) {
  setsid();  // out of reach of the terminal's signals
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "stile-supervise");
  CloseAllBut(plan);
  ResetSignalDispositions();
  Supervisor(plan).Run();
  _exit(0);
}

}  // namespace stile
