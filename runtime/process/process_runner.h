// Starting programs. Every process of Stile is started here, with an argument vector (never a shell
// string), an explicit environment, limits, and the promise that nothing of it survives the call.
#ifndef STILE_RUNTIME_PROCESS_PROCESS_RUNNER_H_
#define STILE_RUNTIME_PROCESS_PROCESS_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/process/file_use.h"

namespace stile {

class Namespaces;
class ProcessInput;

// Environment variables by name.
using Environment = std::map<std::string, std::string>;

// The environment of this process, taken once at first use.
const Environment& InheritedEnvironment();

enum class OutputStream { kStdout, kStderr };

// Compilers and their build systems have dozens of threads a process on machines with many cores.
constexpr int kThreadsPerProcess = 8;

struct ProcessRequest {
  std::vector<std::string> argv;  // argv[0] is a path, or a name looked up in env's PATH
  std::string cwd;                // absolute; "" means the current directory
  Environment env;                // the whole environment of the child
  std::string stdin_text;         // written to the child's standard input, which is then closed
  // After stdin_text: what is written while the child runs. Not owned; null: nothing.
  ProcessInput* input = nullptr;

  absl::Duration timeout = absl::InfiniteDuration();
  // After a timeout or a cancellation: SIGTERM, this long to comply, then SIGKILL.
  absl::Duration grace = absl::Seconds(2);
  // How many bytes of each stream are kept: the first half and the last half of this. The child is
  // never blocked by it; what lies between is dropped (see on_output for all of it).
  size_t max_output_bytes = size_t{8} << 20;
  // Of the whole tree, watched every 100 ms; 0: no limit. Memory counts with what lies in files in
  // memory (memory_use.h).
  uint64_t max_rss_bytes = 0;
  int max_processes = 0;  // and kThreadsPerProcess times as many threads
  // How much less may be free, meanwhile, on any file system that holds one of `disk_folders`.
  // Files that other processes write there count too: there are no quotas for one process tree.
  uint64_t max_disk_bytes = 0;
  std::vector<std::string> disk_folders;
  bool merge_stderr = false;  // one stream, in the order written: everything is in `out`

  // Inside a sandbox (sandboxed_runner.h): folders that may be written besides those of the
  // sandbox's policy, and whether the network may be reached. Without one everything may be.
  std::vector<std::string> writable;
  bool network = false;
  std::string home;  // what stands there for the user's home; "": as the policy has it
  // Path → the folder that stands there and may be written. Paths are absolute, without symlinks.
  // Without a sandbox, Run returns FailedPrecondition unless this is empty.
  std::map<std::string, std::string> replaced;

  // Folders (absolute, without symlinks) of which file_uses tells. Each use costs the program some
  // microseconds, and no program of it may gain privileges (set-user-id). Empty: no observation.
  std::vector<std::string> observed;
  // Also what the programs only ask for by stat and its kin; else a file that is missing is noted
  // only where they tried to open it.
  bool observes_looks = false;
  // An ObservingRunner passes this command on without observing it.
  bool needs_no_observation = false;

  // Where it runs; null: where Stile does. For sandboxes.
  std::shared_ptr<const Namespaces> namespaces;

  // Called on the calling thread with every piece as it arrives; may be empty.
  std::function<void(OutputStream, absl::string_view)> on_output;
  const Cancellation* cancellation = nullptr;  // not owned; may be null
};

struct ProcessResult {
  enum class End {
    kExited,        // by itself; see exit_code
    kSignalled,     // by a signal that we did not send; see signal
    kTimedOut,      // killed at the timeout
    kCancelled,     // killed on cancellation
    kMemoryLimit,   // killed past max_rss_bytes
    kProcessLimit,  // killed past max_processes, or its share of threads
    kDiskLimit,     // killed past max_disk_bytes
  };
  End end = End::kExited;
  int exit_code = -1;
  int signal = 0;
  std::string out;  // raw bytes, cut in the middle past max_output_bytes
  std::string err;
  uint64_t out_bytes = 0;  // as written by the child
  uint64_t err_bytes = 0;
  // Processes that were still running when the main one ended, and were killed.
  int leftovers = 0;
  // How files below ProcessRequest::observed were used, sorted. nullopt: not observed, because the
  // kernel refuses it or something could not be seen.
  std::optional<std::vector<FileUse>> file_uses;
  absl::Duration duration;

  bool ok() const { return end == End::kExited && exit_code == 0; }
  // "exit status 2", "killed by SIGSEGV", "timed out after 30s", …
  std::string Description() const;
};

// Thread-safe: Run may be called from several threads at once.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // Runs the program to its end, and kills whatever it left behind before returning: also processes
  // that changed their session or process group, also when this process is killed meanwhile.
  // NotFound when argv[0] cannot be found or executed; InvalidArgument for an empty argv, a NUL
  // byte or an unusable cwd; ResourceExhausted when no process can be made; FailedPrecondition when
  // namespaces cannot be entered.
  virtual absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) = 0;
};

// Whether the program was stopped for using more than it may.
bool IsLimit(ProcessResult::End end);

// Runs programs on this machine as the current user, without a sandbox.
std::unique_ptr<ProcessRunner> NewLocalProcessRunner();

// The absolute path of `name` by the PATH of `env`, or of `name` itself if it has a slash. NotFound
// if there is no such executable file.
absl::StatusOr<std::string> FindExecutable(const std::string& name, const Environment& env);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_PROCESS_RUNNER_H_
