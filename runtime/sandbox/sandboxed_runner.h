// Programs inside bubblewrap: a file system of which little may be written and secrets are not
// seen, namespaces of their own for processes, IPC, host name and network, no capabilities.
#ifndef STILE_RUNTIME_SANDBOX_SANDBOXED_RUNNER_H_
#define STILE_RUNTIME_SANDBOX_SANDBOXED_RUNNER_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process/namespaces.h"
#include "runtime/process/process_runner.h"

namespace stile {

// What a sandbox shows. Paths are absolute and free of symlinks. Everything else of the machine can
// be read and not written. Where two of these lie one inside the other the deeper one wins; for one
// path the order is hidden, read_only, shown, replaced, writable. What does not exist is left out,
// except for `writable` and `replaced`, which make the command fail then.
struct SandboxPolicy {
  std::vector<std::string> hidden;  // an empty folder, or an empty file, that cannot be filled
  std::vector<std::string> read_only;
  std::map<std::string, std::string> shown;     // path → what stands there, not writable
  std::map<std::string, std::string> replaced;  // path → the folder that stands there, writable
  std::vector<std::string> writable;
  std::string home;         // the path of `replaced` that a request's own home takes
  Environment environment;  // set on top of each request's
  // Variable → its value outside, which names what cannot be written inside, and the one to use
  // there. A request that sets another value keeps it.
  struct Redirection {
    std::string from;
    std::string to;
  };
  std::map<std::string, Redirection> redirected;

  // A file with SyscallFilterBytes, for Wrapper; "": none. Run needs no file.
  std::string filter_file;
  // Removed when what is wrapped has ended: files that nothing can stand in for meanwhile.
  std::vector<std::string> kept_absent;

  // Limits of one command; see ProcessRequest. 0: none. A request's own limit wins.
  uint64_t max_rss_bytes = 0;
  int max_processes = 0;
  uint64_t max_disk_bytes = 0;
  std::vector<std::string> disk_folders;
};

// The file system of a sandbox is made once and kept for the next command that sees the same;
// processes, IPC, host name and /proc are each command's own, so that nothing of one is there for
// the next but files. Results are those of the program inside. Run's additional error is
// FailedPrecondition, when the sandbox itself cannot be made or entered. Thread-safe.
class SandboxedRunner : public ProcessRunner {
 public:
  // `bubblewrap` is the path of the program; `base` is not owned.
  SandboxedRunner(std::string bubblewrap, SandboxPolicy policy, ProcessRunner* base);

  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override;

  // The words to put before an argument vector so that it runs inside the sandbox, for a program of
  // another's that starts it. Descriptors are handed on; so are variables, but for
  // `hidden_variables` and those of the policy.
  std::vector<std::string> Wrapper(const std::vector<std::string>& hidden_variables) const;

  const SandboxPolicy& policy() const { return policy_; }

 private:
  // What bubblewrap has to mount, by place: its arguments. Parents come before children.
  using Mounts = std::map<std::string, std::vector<std::string>>;
  struct Kept {
    std::string key;
    std::shared_ptr<const Namespaces> namespaces;
  };

  Mounts MountsFor(const ProcessRequest& request) const;
  std::map<std::string, std::string> Replaced(const ProcessRequest& request) const;
  std::vector<std::string> Arguments(const ProcessRequest& request, const Mounts& mounts) const;
  absl::StatusOr<std::shared_ptr<const Namespaces>> NamespacesFor(const ProcessRequest& request);
  absl::StatusOr<std::shared_ptr<const Namespaces>> Make(std::vector<std::string> arguments);

  const std::string bubblewrap_;
  const SandboxPolicy policy_;
  ProcessRunner* const base_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // newest first
};

// "bubblewrap 0.8.0". NotFound when `program` does not say it.
absl::StatusOr<std::string> BubblewrapVersion(const std::string& program,
                                              const Environment& environment,
                                              ProcessRunner* runner);

// Whether commands can really run in the sandbox of `runner` with `workspace` writable: OK, or
// FailedPrecondition saying why not (no user namespaces on this machine, files of another owner).
absl::Status CheckSandbox(SandboxedRunner* runner, const std::string& workspace,
                          const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOXED_RUNNER_H_
