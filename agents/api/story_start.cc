#include "agents/api/story_start.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "agents/api/agent_body.h"
#include "agents/api/catalog.h"
#include "agents/api/model_checks.h"
#include "agents/api/run_plan.h"
#include "agents/api/story_ground.h"
#include "agents/api/sub_agents.h"
#include "agents/api/untrusted.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

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
    settings.sampling = agent.sampling;
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

int Parallelism(const Config& config, const Story& story, int begun_with) {
  if (config.given.count("max_parallelism") > 0) return config.max_parallelism;
  if (begun_with > 0) return begun_with;
  return story.max_parallelism > 0 ? story.max_parallelism : config.max_parallelism;
}

absl::Status CheckCanRetry(const StoryHistory& history, const Story& story, int first_step) {
  const int next = history.StepToResume();
  const int steps = static_cast<int>(story.steps.size());
  if (first_step >= 1 && first_step <= std::min(next, steps)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("step ", first_step, " cannot be retried: the story has ",
                   Count(story.steps.size(), "step"), " and ",
                   next > steps ? "all are"
                   : next == 1  ? "none is"
                   : next == 2  ? "only the first is"
                                : absl::StrCat("only those before step ", next, " are"),
                   " done"));
}

absl::Status PrepareToGoOn(const SessionContext& context, int next, StoryHistory* history) {
  for (auto& [number, step] : history->steps) {
    if (number < next || step.run_ids.empty()) continue;
    step.changed.clear();
    STILE_ASSIGN_OR_RETURN(const RunPaths last, context.store->Find(step.run_ids.back()));
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, context.store->Summarize(last));
    if (summary.reason != kNotBegun) STILE_RETURN_IF_ERROR(CheckCanGoOn(context, last));
  }
  return absl::OkStatus();
}

absl::StatusOr<StoryOptions> OptionsToResume(const RunArchive& archive, const StoryHistory& history,
                                             int next, bool other_model) {
  StoryOptions options = history.OptionsFrom(next);
  options.story_file = RealPath(history.story_file).value_or("");
  options.resumed = true;
  options.after_end = history.finished;
  options.other_model = other_model;
  options.before_work = history.hooks.empty();
  // What has changed behind an end that found them unchanged, no step has changed.
  options.hooks = history.hooks_unchanged ? "" : history.hooks;
  for (const auto& [number, step] : history.steps) {
    if (number < next && !other_model) options.done_turns += step.turns;
    if (number >= history.first_step && number < next) options.done_results.push_back(step.result);
  }
  STILE_ASSIGN_OR_RETURN(options.accepted, AcceptedBefore(archive, history, next));
  // Journals name paths as text; these keep every byte.
  for (const RecordedChange& change : options.accepted) {
    options.done_changed.push_back(change.path);
  }
  return options;
}

}  // namespace stile
