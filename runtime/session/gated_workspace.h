// A workspace with its sandbox and its gate, ready to judge. A session works in one; a validation
// without a run opens one as well.
#ifndef STILE_RUNTIME_SESSION_GATED_WORKSPACE_H_
#define STILE_RUNTIME_SESSION_GATED_WORKSPACE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate.h"
#include "runtime/session/session_services.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/edit_transaction.h"

namespace stile {

struct GatedWorkspaceOptions {
  std::string workspace;  // absolute, no symlinks
  GateSettings settings;
  const Cancellation* cancellation = nullptr;  // not owned; may be null
  // Not owned; null: nothing is remembered of the workspace's changes.
  EventStream* events = nullptr;
  std::optional<Snapshot> baseline;  // of a session that goes on; else taken now
  std::optional<IgnoreRules> rules;  // of a session that goes on; else those that stand now
  std::string base_commit;           // of a session that goes on
  // See WorkspaceState::differing; of a session that goes on.
  std::optional<std::map<std::string, std::optional<Sha256Digest>>> differing;
  std::string outputs;  // as in SandboxPlace
};

// Not thread-safe.
class GatedWorkspace {
 public:
  // Rolls back edits that a crash interrupted, and takes the baseline. `services` must outlive the
  // result. Errors: the workspace cannot be read, or a sandbox that is required cannot be made.
  static absl::StatusOr<std::unique_ptr<GatedWorkspace>> Open(const SessionServices& services,
                                                              GatedWorkspaceOptions options);
  Gate* gate() const { return gate_.get(); }
  const std::string& workspace() const { return workspace_; }
  const WorkspaceState& state() const { return state_; }
  StoredBaselineContent* content() const { return content_.get(); }
  RunSandbox* sandbox() const { return sandbox_.get(); }
  // Edits that Open rolled back.
  const Restored& restored() const { return restored_; }
  // See ProgramWrapper.
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository& repository);

 private:
  GatedWorkspace(const SessionServices& services, const GatedWorkspaceOptions& options)
      : services_(services), workspace_(options.workspace), outputs_(options.outputs) {}

  const SessionServices& services_;
  const std::string workspace_;
  const std::string outputs_;
  std::unique_ptr<RunSandbox> sandbox_;  // the gate's validators run in it
  WorkspaceState state_;
  std::unique_ptr<StoredBaselineContent> content_;
  std::unique_ptr<Gate> gate_;
  Restored restored_;
};

// The sandbox for commands in `workspace`, whose repository is `repository`; `outputs` as in
// SandboxPlace.
absl::StatusOr<std::unique_ptr<RunSandbox>> OpenSandbox(const SessionServices& services,
                                                        const std::string& workspace,
                                                        const std::optional<Repository>& repository,
                                                        const std::string& outputs);

// Where Stile keeps what it knows of `workspace`: SessionServices::workspace_dir, or the store's.
absl::StatusOr<std::string> WorkspaceDirOf(const SessionServices& services,
                                           const std::string& workspace);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_GATED_WORKSPACE_H_
