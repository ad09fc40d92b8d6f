// Where the commands of a run are run: which folders they see and write, by settings, languages and
// what is known of the workspace.
#ifndef STILE_RUNTIME_SANDBOX_SANDBOX_H_
#define STILE_RUNTIME_SANDBOX_SANDBOX_H_

#include <time.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/language/language.h"
#include "runtime/sandbox/sandbox_settings.h"
#include "runtime/sandbox/sandboxed_runner.h"
#include "runtime/workspace/scratch_folder.h"

namespace stile {

struct SandboxPlace {
  std::string workspace;  // absolute, no symlinks
  std::string state_dir;  // of all runs: hidden
  std::string
      workspace_dir;       // RunStore::WorkspaceDir: the sandboxes' homes and scratch are made here
  std::string config_dir;  // the user's settings of Stile: hidden; "" if there are none
  std::vector<std::string> secrets;       // further files to hide
  std::vector<std::string> repositories;  // roots and git directories, seen and not written
  std::string outputs;                    // of commands, kept whole: seen and not written; "": none
  Environment environment;                // inherited: HOME, PATH, what languages name
};

// Sandboxes for one workspace. Commands of the model write the workspace, a home and a /tmp of
// their own. Judges (validators) have others, so that no command reaches their caches, and may
// write what their requests and languages name. Both see git directories, toolchains and package
// caches without writing them; other homes, sockets of services, secrets of the machine and Stile's
// own files are hidden. Thread-safe, but for Protect.
// One thing: the folders and rules of a run; each sandbox is made of most of them.
class RunSandbox {
 public:
  // `runner` is not owned. Starts looking whether a sandbox can be made here. InvalidArgument under
  // `required` when it cannot.
  static absl::StatusOr<std::unique_ptr<RunSandbox>> Open(const SandboxSettings& settings,
                                                          SandboxPlace place,
                                                          const LanguageRegistry& languages,
                                                          ProcessRunner* runner);
  ~RunSandbox();

  // Git directories inside the workspace. Once, before the first command and validation.
  void Protect(const std::vector<std::string>& git_directories);

  ProcessRunner* commands();
  ProcessRunner* judges();
  // As commands, but never with the network: what listens on a port there meets nothing else.
  ProcessRunner* isolated();
  // For programs that fetch packages: network (where the request has it), caches and settings as
  // judges have them, the environment of commands. The workspace is read-only.
  ProcessRunner* packages();
  // For programs that resolve names: as commands, without the network. The workspace is read-only.
  ProcessRunner* resolvers();
  // For programs that settings name, such as MCP servers: as commands, but the network is that of
  // the request, and the environment is taken as it is, see CommandEnvironment.
  ProcessRunner* servers();
  // The part of `environment` that commands get: no secrets, unless settings name them.
  Environment CommandEnvironment(const Environment& environment) const;
  // The argument vector before that of a program that a repository names, which runs as a command
  // does but may write the git directory, its hooks and settings excepted. Empty where there is no
  // sandbox.
  std::vector<std::string> ProgramWrapper(const std::string& git_dir,
                                          const std::string& common_dir);
  // Waits for the look that Open began.
  bool active();
  // For certificates and people: "bubblewrap 0.8.0", "bubblewrap 0.8.0, network", "off" or
  // "none: WHY".
  std::string description();
  // For people: how much one command may use, and that it is watched, not enforced by a cgroup. ""
  // where there is no sandbox.
  std::string limits();

 private:
  class Chosen;
  RunSandbox(SandboxSettings settings, SandboxPlace place, ProcessRunner* runner);
  absl::Status Begin();
  absl::Status Look(SandboxedRunner* commands);
  void SetPolicies();
  SandboxPolicy CommonPolicy(const LanguageRegistry& languages) const;
  void MakePolicies(const LanguageRegistry& languages);
  absl::Status MakeFolders() const;
  bool IsForCommands(const std::string& variable) const;
  // Sandboxes or not, decided once.
  const absl::Status& Status();

  const SandboxSettings settings_;
  const SandboxPlace place_;
  ProcessRunner* const runner_;
  const ScratchFolder scratch_;
  const time_t opened_at_ = time(nullptr);
  std::atomic<bool> commands_ran_ = false;
  std::string program_;  // bubblewrap's
  std::string version_;
  SandboxPolicy command_policy_;
  SandboxPolicy judge_policy_;
  SandboxPolicy package_policy_;
  SandboxPolicy resolver_policy_;
  std::mutex mutex_;
  std::future<absl::Status> look_;
  std::optional<absl::Status> status_;
  const std::unique_ptr<Chosen> commands_;
  const std::unique_ptr<Chosen> judges_;
  const std::unique_ptr<Chosen> isolated_;
  const std::unique_ptr<Chosen> packages_;
  const std::unique_ptr<Chosen> resolvers_;
  const std::unique_ptr<Chosen> servers_;
};

// Takes the set-user-id and set-group-id bits from regular files below `folder` that were changed
// since then (seconds since the epoch): who starts them would not be who made them. Links are not
// followed; what cannot be opened is left out.
void StripSetIds(const std::string& folder, time_t since);

// Whether the name of an environment variable is one that secrets are kept in.
bool LooksSecret(absl::string_view variable);

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOX_H_
