// What the commands of a validation did with files of the workspace, as seen from outside: see
// runtime/process/file_observer.h.
#ifndef STILE_RUNTIME_GATE_OBSERVATION_H_
#define STILE_RUNTIME_GATE_OBSERVATION_H_

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Paths relative to the workspace.
struct Observation {
  std::set<std::string> read;      // by any program
  std::set<std::string> compiled;  // opened by a compiler that can be trusted
  std::set<std::string> written;
  std::set<std::string> missing;  // looked for where nothing was
};

// Runs programs of `base` and notes what they do below `folders`. Thread-safe.
class ObservingRunner : public ProcessRunner {
 public:
  // `base` is not owned. `looks`: see ProcessRequest::observes_looks.
  ObservingRunner(ProcessRunner* base, std::vector<std::string> folders, bool looks);

  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override;

  // Of all programs so far. nullopt when one of them could not be observed.
  std::optional<std::vector<FileUse>> uses() const;

 private:
  ProcessRunner* const base_;
  const std::vector<std::string> folders_;
  const bool looks_;
  mutable std::mutex mutex_;
  bool complete_ = true;
  std::set<FileUse> uses_;
};

struct ObservedPlace {
  std::string workspace;  // absolute, no symlinks
  std::string copy;       // absolute: a folder that stands for the workspace; may not exist
  std::vector<std::string> compilers;  // Validator::compilers
  absl::Time run_began;                // a compiler that was written later is not believed
};

// Left out: version control's folders, and what Python makes of its modules.
Observation InterpretUses(const std::vector<FileUse>& uses, const ObservedPlace& place);

// Whether commands of `runner` can be observed: OK, or FailedPrecondition saying why not. Runs one.
absl::Status CheckObservation(ProcessRunner* runner, const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_OBSERVATION_H_
