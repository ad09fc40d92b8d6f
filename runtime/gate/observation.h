// Which files of the workspace the commands of a validation read, compiled, wrote and did not find.
// See runtime/process/file_observer.h.
#ifndef STILE_RUNTIME_GATE_OBSERVATION_H_
#define STILE_RUNTIME_GATE_OBSERVATION_H_

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/process/process_runner.h"

namespace stile {

// A file at the moment when a compiler opened it.
struct CompiledFile {
  std::string path;  // absolute: in the workspace, or in a validator's copy of it
  FileIdentity identity;
  bool is_stable = true;  // every compiler that opened it got the same file and state
};

// Paths relative to the workspace.
struct Observation {
  std::set<std::string> read;                    // by any program
  std::map<std::string, CompiledFile> compiled;  // opened by a trusted compiler
  std::set<std::string> written;
  std::set<std::string> missing;  // looked for and not found
  std::set<std::string> listed;   // folders; "." is the workspace
  // By programs that are no compilers: generators, scripts, the shell. Empty where no compilers are
  // known.
  std::set<std::string> read_by_tools;
  // Programs and scripts that were run, and what shells and make read.
  std::set<std::string> ran;
};

// Whether the file still is what the compiler opened. A build that swapped the file and put it back
// has changed its inode or its ctime.
bool IsStillCompiled(const CompiledFile& file);

// Runs programs through another runner and records how they use files. Thread-safe.
class ObservingRunner : public ProcessRunner {
 public:
  // `base` is not owned. Records uses below `folders`. `looks`: ProcessRequest::observes_looks.
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
  std::string copy;       // absolute: a validator's copy of the workspace; need not exist
  std::vector<std::string> compilers;  // Validator::compilers
  absl::Time run_began;                // a compiler that was written later is not believed
};

// Leaves out folders of version control, Python's compiled modules, and documents (README.md) that
// programs only asked for. A compiler that opened a shared library of the workspace is not trusted.
Observation InterpretUses(const std::vector<FileUse>& uses, const ObservedPlace& place);

// Whether commands of `runner` can be observed: OK, or FailedPrecondition saying why not. Runs one.
absl::Status CheckObservation(ProcessRunner* runner, const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_OBSERVATION_H_
