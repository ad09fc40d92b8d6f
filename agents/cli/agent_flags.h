#ifndef STILE_AGENTS_CLI_AGENT_FLAGS_H_
#define STILE_AGENTS_CLI_AGENT_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/cli/command.h"

namespace stile {

// The flags that say where and how an agent works.
struct AgentFlags {
  std::string workspace;
  ConfigFlags config;
  std::string record_file;
  bool replay_strict = false;
  std::string answers;     // a file with a line for each question of a workflow; "": none
  bool alongside = false;  // of another run in the same workspace
};

// --workspace alone, for verbs that ask no model.
void DeclareWorkspaceFlag(CLI::App* app, AgentFlags* flags);
// --yes alone.
void DeclareYesFlag(CLI::App* app, AgentFlags* flags);
// All of them. `flags` must outlive `app`.
void DeclareAgentFlags(CLI::App* app, AgentFlags* flags);
// Those that say what is judged and for how long, and --alongside, for verbs whose work is done by
// other programs. `flags` must outlive `app`.
void DeclareGateFlags(CLI::App* app, AgentFlags* flags);
// --max-parallelism, for verbs that run stories.
void DeclareParallelismFlag(CLI::App* app, AgentFlags* flags);

// --alongside, for verbs that change the workspace.
void DeclareAlongsideFlag(CLI::App* app, AgentFlags* flags);
// --answers, for verbs that run workflows.
void DeclareAnswersFlag(CLI::App* app, AgentFlags* flags);

// The folder as an absolute path without symlinks. InvalidArgument when it is none.
absl::StatusOr<std::string> ResolveFolder(const std::string& folder);

// Options with configuration, environment and state folder; signals cancel what is made of them.
// The workspace is `flags.workspace`, else `default_workspace`.
absl::StatusOr<AgentOptions> MakeAgentOptions(const CliContext& context, const AgentFlags& flags,
                                              const std::string& default_workspace = ".");

// Steps that ask a person take a line each from `flags.answers`, where it is given. To be called
// once the console has set up its own questions. NotFound or PermissionDenied with the path.
absl::Status UseAnswers(const AgentFlags& flags, AgentOptions* options);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_AGENT_FLAGS_H_
