// What decides how a run goes, from its task, its profile and the configuration.
#ifndef STILE_AGENTS_API_RUN_PLAN_H_
#define STILE_AGENTS_API_RUN_PLAN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/project_instructions.h"
#include "agents/api/session_context.h"
#include "runtime/agent_loop/prompt.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/session/gated_workspace.h"
#include "tools/builtin_tools.h"

namespace stile {

// Turns of earlier steps: of all of them, and of those of the same name. A cassette that steps
// share has played the former already, one of the step's own (replay:DIR) the latter.
struct CassetteTurns {
  int of_all = 0;
  int of_step = 0;
};

struct AgentTask {
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
  // See StepTask; nullopt: the run is of no story, and all of the workspace counts.
  std::optional<std::vector<std::string>> delivered;
  bool go_on = false;  // a run of the id that ended without success goes on
};

// As run_started records it: resuming needs no more.
struct RunPlan {
  std::string agent;  // the profile's name
  std::string system_prompt;
  std::string user_prompt;
  std::vector<ImageData> user_images;
  std::string instructions;  // InstructionsPrompt; "" : none
  // What `instructions` was made of; empty in a run that goes on.
  std::vector<InstructionSource> instruction_sources;
  std::vector<std::string> tools;  // of the profile; empty: all
  RunLimits limits;
  double temperature = -1;
  ModelSettings model;
  std::vector<AgentProfile> sub_agents;  // those that the profile names

  // The first message of the user's role.
  std::string FirstMessage() const;
};

// InvalidArgument when `file` ("": none) holds a recording: a second one behind it would never be
// played as it was.
absl::Status CheckRecordFile(const std::string& file);

// What the steps before this one have played of its cassette.
size_t PlayedTurns(absl::string_view model, CassetteTurns turns);

// The model that the options and the task choose.
ModelSettings SettingsOf(const SessionContext& context, const AgentTask& task);

// Of a run that begins. InvalidArgument, NotFound: no such profile.
absl::StatusOr<RunPlan> PlanRun(const SessionContext& context, const AgentTask& task,
                                const GatedWorkspace& workspace);

// An address as journals keep it: without user, password and query, which can be secrets.
std::string PublicUrl(absl::string_view url);

// What run_started has of the task and its plan.
Json ToJson(const RunPlan& plan, const AgentTask& task);
// Puts the limits that the user gave (Config::given) in the place of others.
void ApplyGivenLimits(const Config& config, RunLimits* limits);

// Whether a run that ended may go on with `limits`. FailedPrecondition names the limit that it has
// used up, and the flag that raises it.
absl::Status CheckLimits(const std::string& run_id, const RunHistory& history,
                         const RunLimits& limits);

Json ToJson(const RunLimits& limits);

// The pictures of a task, with their bytes. InvalidArgument: a file that is no picture, is too
// large, or cannot be read, or a model that takes none.
absl::StatusOr<std::vector<ImageData>> LoadPictures(const std::vector<std::string>& files,
                                                    const ModelInfo& model);

// Of a run that goes on; `present`: SettingsOf the options.
RunPlan PlanFromJson(const Json& start, const ModelSettings& present);

// Of everything by which a run is judged; an agent can write stile.yaml while it runs.
std::string RulesSha256(const Config& config);

// The models of sub-agents are checked, too.
absl::StatusOr<std::unique_ptr<ChatModel>> ModelFor(const SessionContext& context,
                                                    const RunPlan& plan);
// Those that the start of a run names.
std::vector<Allowance> AllowancesIn(const Json& start);

// Whether the profile of the run has tools of an MCP server.
bool WantsServer(const RunPlan& plan, const std::string& server);

// What the tools of a run are made of. Nothing is owned.
struct ToolParts {
  Gate* gate;
  const LanguageRegistry* languages;
  CodeIndex* index;
  ResolverPool* resolvers;  // null: names are resolved by syntax
  McpServers* mcp_servers;
  const McpServers::Listing* mcp_tools;
};
// `warnings` may be null: it gets what AddMcpTools says.
std::vector<std::unique_ptr<Tool>> ToolsFor(const RunPlan& plan, const ToolParts& parts,
                                            std::vector<std::string>* warnings);

// For a sub-agent of the profile `name` ("": the usual one): of that profile's tools those that the
// run itself has, and the model that it names. InvalidArgument, NotFound: no such profile.
absl::StatusOr<SubAgentPlan> PlanSubAgent(const SessionContext& context, const RunPlan& run,
                                          const ToolParts& parts, const std::string& workspace,
                                          const std::string& name, const std::string& task);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_PLAN_H_
