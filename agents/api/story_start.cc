#include "agents/api/story_start.h"

#include <set>

#include "agents/api/catalog.h"
#include "agents/api/run_plan.h"
#include "agents/api/run_session.h"
#include "agents/api/sub_agents.h"
#include "agents/api/trust.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/file_system.h"

namespace stile {

Json StoryStart(const AgentOptions& agent, const Story& story, absl::string_view text,
                const std::string& file, const std::string& workspace,
                const StoryOptions& options) {
  Json data = ToJson(options);
  data["kind"] = "story";
  data["task"] = story.title;
  data["story_file"] = ToUtf8(file);
  data["story_sha256"] = Sha256Hex(text);
  data["workspace"] = ToUtf8(workspace);
  data["model"] = agent.config.model;
  data["base_url"] = PublicUrl(agent.config.base_url);
  AddUntrusted(agent.config, &data);
  return data;
}

absl::Status CheckStoryModels(const AgentOptions& agent, const Story& story) {
  const Config& config = agent.config;
  std::set<std::string> checked;
  const std::string& of_story = story.agent.empty() ? config.agent : story.agent;
  for (const StoryStep& step : story.steps) {
    const std::string& name = step.agent.empty() ? of_story : step.agent;
    if (!checked.insert(name).second) continue;
    STILE_ASSIGN_OR_RETURN(const AgentProfile profile, LoadProfile(name));
    ModelSettings settings = config.model_access;
    settings.model = config.model.empty() ? profile.model : config.model;
    settings.base_url = config.base_url;
    STILE_RETURN_IF_ERROR(CheckModelSettings(agent, settings));
    STILE_ASSIGN_OR_RETURN(const std::vector<AgentProfile> sub_agents,
                           LoadSubAgents(profile, name));
    STILE_RETURN_IF_ERROR(CheckSubAgents(agent, settings, config.limits, sub_agents));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadStoryFile(const std::string& file) {
  return DiskFileSystem()->ReadFile(file, kMaxStoryBytes);
}

}  // namespace stile
