// One run from its folder to its result: everything around the executor.
#ifndef STILE_AGENTS_API_RUN_SESSION_H_
#define STILE_AGENTS_API_RUN_SESSION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/provider_secrets.h"
#include "agents/api/workspace_state.h"
#include "runtime/base/ed25519.h"
#include "runtime/gate/gate.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/run_store.h"
#include "runtime/loop/run_history.h"
#include "runtime/model/chat_model.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/story/story_runner.h"
#include "runtime/workspace/edit_transaction.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// What all runs of one agent share. None owned but by the agent.
struct SessionContext {
  const AgentOptions* options = nullptr;
  const LanguageRegistry* languages = nullptr;
  const ValidatorRegistry* validators = nullptr;
  const WeakeningDetector* weakening = nullptr;
  const ConditionFinder* conditions = nullptr;
  const ScopeFinder* scopes = nullptr;
  const SyntaxChecker* syntax = nullptr;
  const ChangedFunctionFinder* functions = nullptr;
  ProcessRunner* runner = nullptr;
  FileSystem* file_system = nullptr;
  Clock* clock = nullptr;
  RunStore* store = nullptr;
  const Ed25519PrivateKey* signing_key = nullptr;  // null: certificates are not signed
  const SecretMasker* secrets = nullptr;           // for journals and events; null: none
  // For what sandboxes and validators keep of the workspace; "" : RunStore::WorkspaceDir.
  std::string workspace_dir;
  const Cancellation* cancellation = nullptr;  // ends its runs; null: that of the options
  ValidationLog validation_log;                // see ValidationRequest::log; may be empty
};

// Turns of earlier steps: of all of them, and of those of the same name. A cassette that steps
// share has played the former already, one of the step's own (replay:DIR) the latter.
struct CassetteTurns {
  int of_all = 0;
  int of_step = 0;
};

struct SessionTask {
  std::string text;
  std::string context;
  std::vector<std::string> images;  // as in Task
  std::string workspace;            // absolute, no symlinks
  std::string agent;                // "" : the configuration's
  int max_turns = 0;                // 0: the profile's, then the configuration's
  bool retry = false;
  std::vector<Allowance> allow;  // beside those of the configuration
  std::string cassette_step;
  std::string model;     // where the options choose none: what the story was begun with
  std::string base_url;  // the same
  CassetteTurns turns_before;
  std::string request_sha256;  // of the request that this task came with; "": it came with none
  bool go_on = false;  // a run of the id that ended without success goes on, see ContinueRun
  // Nobody is asked: the run takes these files over, and the gate judges what comes of it. Not
  // owned; null: an agent's run.
  const MergedWork* merge = nullptr;
};

// The gate of a workspace with everything it needs, ready to judge.
class GateSession {
 public:
  // `cancellation` and `events` may be null; `baseline` and `base_commit` are of a run that goes
  // on; `outputs` as in SandboxPlace.
  static absl::StatusOr<std::unique_ptr<GateSession>> Open(
      const SessionContext& context, const std::string& workspace, const GateSettings& settings,
      const Cancellation* cancellation, EventStream* events, std::optional<Snapshot> baseline,
      const std::string& base_commit, const std::string& outputs = "");
  Gate* gate() { return gate_.get(); }
  const std::string& workspace() const { return workspace_; }
  const WorkspaceState& state() const { return state_; }
  StoredBaselineContent* content() { return content_.get(); }
  RunSandbox* sandbox() { return sandbox_.get(); }
  // Of a change that an earlier process could not bring to its end.
  const Restored& restored() const { return restored_; }
  // See ProgramWrapper.
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const SessionContext& context,
                                                        const Repository& repository);

 private:
  std::unique_ptr<RunSandbox> sandbox_;  // the gate's validators run in it
  std::string outputs_;
  std::string workspace_;
  WorkspaceState state_;
  std::unique_ptr<StoredBaselineContent> content_;
  std::unique_ptr<Gate> gate_;
  Restored restored_;
};

// Where the programs that resolve names work for a session. `open_runner` as in ResolverPool::Host.
ResolverPool::Host ResolversOf(
    const SessionContext& context, const std::string& workspace,
    std::function<absl::StatusOr<ProcessRunner*>()> open_runner,
    std::function<void(const std::function<void(const std::string&)>&)> list_files,
    const Cancellation* cancellation);

// An address as journals keep it: without user, password and query, which can be secrets.
std::string PublicUrl(absl::string_view url);

// The sandbox for commands in `workspace`, whose repository is `repository`; `outputs` as in
// SandboxPlace.
absl::StatusOr<std::unique_ptr<RunSandbox>> OpenSandbox(const SessionContext& context,
                                                        const std::string& workspace,
                                                        const std::optional<Repository>& repository,
                                                        const std::string& outputs);

// A new run under `run_id`. A status means that it could not begin; nothing of it is left then.
absl::StatusOr<RunResult> StartRun(const SessionContext& context, const std::string& run_id,
                                   const SessionTask& task, const EventSink& sink);

// Goes on with an interrupted run, with `go_on` also with one that ended without success
// (FailedPrecondition while the limit that it used up is not raised); or returns the stored result
// of a finished one, and gives its run_finished to `sink`. `turns_before` as in SessionTask.
// `merge`: the same, for a run that took files over; it cannot go on without (FailedPrecondition).
absl::StatusOr<RunResult> ContinueRun(const SessionContext& context, const RunPaths& run,
                                      CassetteTurns turns_before, const MergedWork* merge,
                                      bool go_on, const EventSink& sink);

// Whether ContinueRun with `go_on` would go on. FailedPrecondition says what has to change; OK also
// where the stored result would be returned.
absl::Status CheckCanGoOn(const SessionContext& context, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_SESSION_H_
