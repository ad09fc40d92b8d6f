// Which files of the workspace the commands of a validation read, compiled, wrote and did not find.
// See runtime/process/file_observer.h.
#ifndef STILE_RUNTIME_COVERAGE_OBSERVATION_H_
#define STILE_RUNTIME_COVERAGE_OBSERVATION_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/coverage/compiler_arguments.h"
#include "runtime/process/process_runner.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// A process of a compiler.
struct CompilerCall {
  std::shared_ptr<const ProgramRun> run;
  std::shared_ptr<const CompilerWay> way;
  // It ended with success, or its exit status says nothing, or an error that is excused ended it.
  bool has_passed = false;
  bool has_failed = false;  // it may have reported an error: not the contrary of has_passed
};

// A file at the moment when a compiler opened it.
struct CompiledFile {
  std::string path;  // absolute: in the workspace, or in a validator's copy of it
  FileIdentity identity;
  bool is_stable = true;  // every compiler that opened it got the same file and state
  std::vector<CompilerCall> calls;
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
  // Programs and scripts that were run, what shells and make read, and modules that Python and
  // Node.js loaded.
  std::set<std::string> ran;
};

// How compilers that passed the file were called. Empty if none ended with success: where the build
// did, it ignored their errors.
CompilerWays PassedWays(const CompiledFile& file);

// How compilers were called that may have reported an error in the file.
CompilerWays FailedWays(const CompiledFile& file);

// Lets those compilers pass that opened a file with one of these errors, which the gate left out.
void ExcuseErrors(const std::vector<Diagnostic>& errors, Observation* observation);

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

// What a validation of a copy of the workspace was seen to do.
struct TrialObservation {
  std::vector<std::string> compilers;  // Validator::compilers
  std::optional<Observation> seen;     // nullopt when a program could not be observed
};

// Leaves out folders of version control, Python's compiled modules, and documents (README.md) that
// programs only asked for. A compiler that opened a shared library of the workspace is not trusted.
Observation InterpretUses(const std::vector<FileUse>& uses, const ObservedPlace& place);

// Whether commands of `runner` can be observed: OK, or FailedPrecondition saying why not. Runs one.
absl::Status CheckObservation(ProcessRunner* runner, const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_OBSERVATION_H_
