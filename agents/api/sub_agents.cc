#include "agents/api/sub_agents.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "agents/api/model_checks.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::string_view kReplay = "replay:";
constexpr size_t kMaxSubAgents = 50;

absl::string_view ProviderOf(absl::string_view model) { return model.substr(0, model.find(':')); }

bool IsFile(absl::string_view name) {
  return absl::StrContains(name, '/') || absl::EndsWith(name, ".md");
}

absl::StatusOr<AgentProfile> LoadOne(const std::string& name, const std::string& lead_name) {
  const std::string beside = JoinPath(DirName(lead_name), name + ".md");
  return LoadProfile(IsFile(lead_name) && FileExists(beside) ? beside : name);
}

}  // namespace

absl::StatusOr<std::vector<AgentProfile>> LoadSubAgents(const AgentProfile& lead,
                                                        const std::string& lead_name) {
  std::vector<AgentProfile> agents;
  std::set<std::string> names;
  const std::string where = absl::StrCat("agent ", lead_name, ": agents: ");
  if (lead.agents.size() > kMaxSubAgents) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, "at most ", kMaxSubAgents, " can be named"));
  }
  for (const std::string& name : lead.agents) {
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat(where, "'", name, "' is named twice"));
    }
    absl::StatusOr<AgentProfile> profile = LoadOne(name, lead_name);
    if (!profile.ok()) return WithContext(profile.status(), absl::StrCat(where, "'", name, "'"));
    if (absl::StartsWith(profile->model, kReplay)) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "'", name,
                       "' has a cassette as its model; a cassette of the run (--model replay:FILE) "
                       "also holds the replies of its sub-agents"));
    }
    profile->name = name;
    agents.push_back(*std::move(profile));
  }
  return agents;
}

Json ToJson(const std::vector<AgentProfile>& agents) {
  Json list = Json::array();
  for (const AgentProfile& agent : agents) {
    list.push_back({{"name", agent.name},
                    {"model", agent.model},
                    {"tools", agent.tools},
                    {"max_turns", agent.max_turns},
                    {"temperature", agent.temperature},
                    {"system_prompt", agent.system_prompt}});
  }
  return list;
}

std::vector<AgentProfile> SubAgentsFromJson(const Json& start) {
  std::vector<AgentProfile> agents;
  const Json* const list = JsonMember(start, "sub_agents");
  if (list == nullptr || !list->is_array()) return agents;
  for (const Json& item : *list) {
    AgentProfile agent;
    agent.name = JsonString(item, "name").value_or("");
    agent.model = JsonString(item, "model").value_or("");
    agent.max_turns = static_cast<int>(JsonInt(item, "max_turns").value_or(0));
    agent.temperature = JsonNumber(item, "temperature").value_or(-1);
    agent.system_prompt = JsonString(item, "system_prompt").value_or("");
    if (const Json* tools = JsonMember(item, "tools"); tools != nullptr && tools->is_array()) {
      for (const Json& tool : *tools) {
        if (tool.is_string()) agent.tools.push_back(tool.get<std::string>());
      }
    }
    agents.push_back(std::move(agent));
  }
  return agents;
}

std::optional<ModelSettings> ModelOfSubAgent(const ModelSettings& run,
                                             const AgentProfile& profile) {
  if (profile.model.empty() || profile.model == run.model || absl::StartsWith(run.model, kReplay)) {
    return std::nullopt;
  }
  ModelSettings settings = run;
  settings.model = profile.model;
  settings.api.clear();
  if (ProviderOf(profile.model) != ProviderOf(run.model)) settings.base_url.clear();
  return settings;
}

absl::Status CheckSubAgents(const AgentOptions& options, const ModelSettings& run,
                            const RunLimits& limits, const std::vector<AgentProfile>& agents) {
  for (const AgentProfile& agent : agents) {
    std::optional<ModelSettings> settings = ModelOfSubAgent(run, agent);
    if (!settings.has_value()) continue;
    settings->record_file.clear();  // only looked at here
    const std::string where = absl::StrCat("sub-agent ", agent.name);
    STILE_RETURN_IF_ERROR(WithContext(CheckModelSettings(options, *settings), where));
    const auto model = NewChatModel(*settings, options.environment, SystemClock());
    STILE_RETURN_IF_ERROR(WithContext(model.status(), where));
    STILE_RETURN_IF_ERROR(WithContext(CheckPrice(limits, *settings, **model), where));
  }
  return absl::OkStatus();
}

}  // namespace stile
