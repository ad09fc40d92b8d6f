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
  int keep[] = {plan.stdin_fd,   plan.stdout_fd, plan.stderr_fd,
                plan.control_fd, plan.status_fd, plan.report_fd};
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
  // From here, because a program may kill the supervisor before that gets to run again.
  Report(plan.status_fd, SupervisorReport::kStarting, getpid());
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) {
    Report(plan.status_fd, SupervisorReport::kChdirFailed, errno);
    _exit(127);
  }
  dup2(plan.stdin_fd, 0);
  dup2(plan.stdout_fd, 1);
  dup2(plan.stderr_fd, 2);
  if (plan.report_fd >= 0) dup2(plan.report_fd, 3);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
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

class Supervisor {
 public:
  explicit Supervisor(const SupervisorPlan& plan) : plan_(plan) {}

  void Run() {
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    signal_fd_ = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    program_ = StartProgram(plan_);
    if (program_ < 0) {
      Report(plan_.status_fd, SupervisorReport::kForkFailed, errno);
      return;
    }
    Report(plan_.status_fd, SupervisorReport::kRunning, 0);
    close(plan_.stdin_fd);
    close(plan_.stdout_fd);
    close(plan_.stderr_fd);
    if (plan_.report_fd >= 0) close(plan_.report_fd);
    const bool ended_by_itself = WaitForEnd();
    const int leftovers = KillEverything(ended_by_itself);
    Report(plan_.status_fd, SupervisorReport::kEnded, wait_status_, leftovers);
  }

 private:
  // True when the program ended; false when everything is to be killed.
  bool WaitForEnd() {
    pollfd entries[] = {{signal_fd_, POLLIN, 0}, {plan_.control_fd, POLLIN, 0}};
    while (!Reap()) {
      if (poll(entries, 2, -1) < 0) continue;
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
      if (g_entries[i].zombie || IsWrapper(g_entries[i].pid, number)) continue;
      ++alive;
      group_alive |= g_entries[i].group == program_;
    }
    // The group first and at once: its members cannot fork away from the signal.
    if (group_alive && number == SIGKILL) kill(-program_, number);
    for (size_t i = 0; i < count; ++i) {
      if (!g_entries[i].zombie && !IsWrapper(g_entries[i].pid, number)) {
        kill(g_entries[i].pid, number);
      }
    }
    return alive;
  }

  // A wrapper that dies of SIGTERM would take everything below with it, before that can comply.
  bool IsWrapper(pid_t pid, int number) const {
    return plan_.report_fd >= 0 && pid == program_ && number != SIGKILL;
  }

  // A sandbox's first process takes all others of its namespace with it: at once, however many
  // there are by now, and however fast they make new ones.
  void KillNamespace() {
    if (plan_.report_fd < 0) return;
    KillChildrenOf(program_);
    KillChildrenOf(getpid());
    kill(program_, SIGKILL);
  }

  static void KillChildrenOf(pid_t parent) {
    pid_t children[64];
    const size_t count = ListChildren(parent, children, sizeof(children) / sizeof(children[0]));
    for (size_t i = 0; i < count; ++i) kill(children[i], SIGKILL);
  }

  // Until nothing is left. As subreaper we are the parent of every orphan below, so having no
  // children means that all are gone. Returns how many ran on after the program's own end.
  int KillEverything(bool ended_by_itself) {
    int leftovers = 0;
    const int64_t deadline_ms = NowMs() + kKillPatienceMs;
    if (!ended_by_itself) KillNamespace();
    for (bool first = true; !none_left_ && NowMs() < deadline_ms; first = false) {
      const int alive = SignalDescendants(SIGKILL);
      // The wrapper's other process is the first of its namespace: while anything is left in there,
      // it is.
      if (first && ended_by_itself)
        leftovers = plan_.report_fd >= 0 && alive > 0 ? alive - 1 : alive;
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
