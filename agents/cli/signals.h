#ifndef STILE_AGENTS_CLI_SIGNALS_H_
#define STILE_AGENTS_CLI_SIGNALS_H_

#include "runtime/base/cancellation.h"

namespace stile {

// For verbs that run agents or compilers; the others die of signals as programs do. From now on
// SIGINT, SIGTERM and SIGHUP (unless it is ignored) turn the returned switch (it lives as long as
// the process), so that a run ends in order; a second SIGINT within two seconds ends the process at
// once with 130. SIGPIPE is ignored: who writes to a closed pipe learns it from the write.
Cancellation* CancelOnSignals();

// Whether a SIGINT has come since: a person wants the run to end.
bool WasInterrupted();

}  // namespace stile

#endif  // STILE_AGENTS_CLI_SIGNALS_H_
