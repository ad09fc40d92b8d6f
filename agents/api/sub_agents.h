// The sub-agents that a profile names: where their profiles come from, and which models they ask.
#ifndef STILE_AGENTS_API_SUB_AGENTS_H_
#define STILE_AGENTS_API_SUB_AGENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "runtime/agent_loop/prompt.h"

namespace stile {

// The profiles that `lead`, loaded as `lead_name`, lists under `agents`: NAME.md beside its own
// file, else a bundled profile. They are read once, so that a run cannot change them.
// InvalidArgument, NotFound: one that cannot be used, and why.
absl::StatusOr<std::vector<AgentProfile>> LoadSubAgents(const AgentProfile& lead,
                                                        const std::string& lead_name);

// What run_started records of them, and back.
Json ToJson(const std::vector<AgentProfile>& agents);
std::vector<AgentProfile> SubAgentsFromJson(const Json& start);

// The model that a profile names for a sub-agent of a run with the model `run`; nullopt: the run's
// own answers. A run that is played from a cassette plays its sub-agents from it, too.
std::optional<ModelSettings> ModelOfSubAgent(const ModelSettings& run, const AgentProfile& profile);

// Whether all of them can be asked, before the run begins: see CheckModelSettings. Where `limits`
// hold a cost, their prices must be known. The error names the sub-agent.
absl::Status CheckSubAgents(const AgentOptions& options, const ModelSettings& run,
                            const RunLimits& limits, const std::vector<AgentProfile>& agents);

}  // namespace stile

#endif  // STILE_AGENTS_API_SUB_AGENTS_H_
