// What decides how a run goes, from its task, its profile and the configuration.
#ifndef STILE_AGENTS_API_RUN_PLAN_H_
#define STILE_AGENTS_API_RUN_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/project_instructions.h"
#include "agents/api/run_session.h"
#include "runtime/loop/prompt.h"
#include "runtime/loop/react_executor.h"
#include "tools/builtin_tools.h"

namespace stile {

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

// Whether a provider may be asked for `model` ("": of a profile). FailedPrecondition where the
// workspace's own `base_url` does not count: then the request would go to another address.
absl::Status CheckModelAddress(const Config& config, absl::string_view model);

// Whether `settings.model` can be asked, before anything begins: it is named, its provider is
// known, its key is set, and its address counts. Nothing is sent, and no cassette is opened.
// InvalidArgument, FailedPrecondition: what is missing.
absl::Status CheckModelSettings(const AgentOptions& options, const ModelSettings& settings);

// Where `limits` hold a cost, the price of `model` must be known. InvalidArgument says how to set
// it.
absl::Status CheckPrice(const RunLimits& limits, const ModelSettings& settings,
                        const ChatModel& model);

// The model that the options and the task choose.
ModelSettings SettingsOf(const SessionContext& context, const SessionTask& task);

// Of a run that begins. InvalidArgument, NotFound: no such profile.
absl::StatusOr<RunPlan> PlanRun(const SessionContext& context, const SessionTask& task,
                                GateSession* session);

// The data of run_started. `rules_sha256`: of RulesSha256.
Json ToJson(const RunPlan& plan, const SessionTask& task, const WorkspaceState& state,
            const std::string& rules_sha256);
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

// `merge` as in SessionTask. The models of sub-agents are checked, too.
absl::StatusOr<std::unique_ptr<ChatModel>> ModelFor(const SessionContext& context,
                                                    const RunPlan& plan, const MergedWork* merge);
GateSettings SettingsFor(const SessionContext& context, const MergedWork* merge,
                         const std::vector<Allowance>& allow);
// Those that the start of a run names.
std::vector<Allowance> AllowancesIn(const Json& start);

// What the tools of a run are made of. Nothing is owned.
struct ToolParts {
  Gate* gate;
  const LanguageRegistry* languages;
  CodeIndex* index;
  ResolverPool* resolvers;  // null: names are resolved by syntax
  const MergedWork* merge;  // null: nothing is taken over
};
std::vector<std::unique_ptr<Tool>> ToolsFor(const RunPlan& plan, const ToolParts& parts);

// For a sub-agent of the profile `name` ("": the usual one): of that profile's tools those that the
// run itself has, and the model that it names. InvalidArgument, NotFound: no such profile.
absl::StatusOr<SubAgentPlan> PlanSubAgent(const SessionContext& context, const RunPlan& run,
                                          const ToolParts& parts, const std::string& workspace,
                                          const std::string& name, const std::string& task);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_PLAN_H_
