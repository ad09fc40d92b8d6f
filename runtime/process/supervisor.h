// The small process between Stile and each program it starts. It is the reaper of everything that
// descends from the program, so that nothing of it survives, not even Stile's own sudden death.
#ifndef STILE_RUNTIME_PROCESS_SUPERVISOR_H_
#define STILE_RUNTIME_PROCESS_SUPERVISOR_H_

#include <cstdint>

#include "runtime/process/namespaces.h"

struct sock_fprog;

namespace stile {

// Everything the supervisor needs, prepared before fork: it must not allocate. All descriptors are
// above 3 and close-on-exec.
struct SupervisorPlan {
  const char* program;  // what execve gets
  char* const* argv;
  char* const* envp;
  const char* cwd;  // null: stay
  int stdin_fd;
  int stdout_fd;
  int stderr_fd;
  int control_fd;  // read end; see SupervisorCommand
  int status_fd;   // write end; SupervisorReport values come out of it
  // Null, or where the program runs. It is then the child of the first process of a process
  // namespace, which takes along whatever is left there.
  const NamespaceFds* namespaces;
  // Null, or the filter under which the program is observed (file_observer.h), and the socket that
  // the listener's descriptor is sent through.
  const sock_fprog* observer;
  int observer_fd;
};

// Bytes on the control pipe. Its end of file means that Stile died, and acts as
// kTerminate and, a second later, as kKill.
enum SupervisorCommand : char { kTerminate = 'T', kKill = 'K' };

struct SupervisorReport {
  enum Kind : int32_t {
    kStarting,      // value: the pid of the program or, in namespaces, of the first process there;
                    // also its process group and session
    kRunning,       // the program has replaced the copy of this process
    kChdirFailed,   // value: errno
    kExecFailed,    // value: errno
    kForkFailed,    // value: errno
    kEnterFailed,   // value: errno; of the namespaces
    kProgramEnded,  // value: wait status; in namespaces, before kEnded
    kEnded,         // value: wait status; the last report, everything below is dead
  };
  int32_t kind;
  int32_t value;
  // kEnded, kProgramEnded: processes that were running when the program ended by itself.
  int32_t leftovers;
};

// The body of the supervisor; called in the forked child, with all signals blocked. Uses
// async-signal-safe functions only.
[[noreturn]] void RunSupervisor(const SupervisorPlan& plan);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_SUPERVISOR_H_
