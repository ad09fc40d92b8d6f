// Programs that a person, or a script, talks to: they have the standard streams of Stile itself.
#ifndef STILE_RUNTIME_PROCESS_FOREGROUND_H_
#define STILE_RUNTIME_PROCESS_FOREGROUND_H_

#include "absl/status/statusor.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Descriptors of this process that become the standard streams of a program. Not owned; they stay
// open here.
struct StandardStreams {
  int in = 0;
  int out = 1;
  int err = 2;
};

// As ProcessRunner::Run on this machine without a sandbox, with these streams: `stdin_text`,
// `input`, `merge_stderr` and `on_output` of the request are not used, and the result has no
// output. The program is in a session of its own and has no controlling terminal: where a terminal
// turns Ctrl-C into a signal, Stile gets it. FailedPrecondition if a descriptor is closed.
absl::StatusOr<ProcessResult> RunInForeground(const ProcessRequest& request,
                                              const StandardStreams& streams);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_FOREGROUND_H_
