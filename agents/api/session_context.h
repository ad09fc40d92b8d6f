// The services of sessions together with the options of the agent that they belong to.
#ifndef STILE_AGENTS_API_SESSION_CONTEXT_H_
#define STILE_AGENTS_API_SESSION_CONTEXT_H_

#include <functional>
#include <memory>
#include <string>

#include "agents/api/agent.h"
#include "agents/api/provider_secrets.h"
#include "runtime/gate/gate.h"
#include "runtime/session/session_services.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

class RunSandbox;  // runtime/sandbox/sandbox.h

struct SessionContext : SessionServices {
  const AgentOptions* options = nullptr;  // not owned
};

// Fills in the environment and the state folder where the options give none, and gives the
// workspace, absolute and without symlinks. InvalidArgument: options that cannot be used.
absl::StatusOr<std::string> CompleteOptions(AgentOptions* options);

// Fills in what the options alone decide: environment, sandbox, hidden files, cancellation.
// `options` must outlive the result.
SessionContext NewSessionContext(const AgentOptions* options);

// The sandbox of commands and programs in the workspace. They cannot write the git directory, nor
// stile.yaml if a rule keeps tools from writing it.
absl::StatusOr<std::unique_ptr<RunSandbox>> OpenCommandSandbox(const SessionContext& context,
                                                               const std::string& workspace);

// The files that `gate` saw last; it is not owned.
FileLister FilesOf(Gate* gate);

// Where the programs that resolve names work for a session. `open_runner` as in ResolverPool::Host.
ResolverPool::Host ResolversOf(const SessionContext& context, const std::string& workspace,
                               std::function<absl::StatusOr<ProcessRunner*>()> open_runner,
                               FileLister list_files, CancellationSource cancellation);

}  // namespace stile

#endif  // STILE_AGENTS_API_SESSION_CONTEXT_H_
