#include "agents/api/workflow_needs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/catalog.h"
#include "agents/api/model_checks.h"
#include "agents/api/sub_agents.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

// Why the step could not run at all.
absl::Status CheckStep(const WorkflowServices& services, const WorkflowStep& step) {
  const Config& config = services.context->options->config;
  if (step.type == StepType::kForeign) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Stile cannot run steps of type ", JsonString(step.settings, "kind").value_or(""),
        "; `stile workflow test` plays the workflow with a mock of it"));
  }
  const std::string& chosen = config.model.empty() ? services.model : config.model;
  // A nested workflow is not known yet; most have agents.
  if (step.type == StepType::kWorkflow && !chosen.empty()) return CheckModelAddress(config, chosen);
  const bool asks_model = step.type == StepType::kAgent || step.type == StepType::kVerify;
  if (!asks_model) return absl::OkStatus();
  const std::string agent = JsonString(step.settings, "agent").value_or("");
  STILE_ASSIGN_OR_RETURN(const auto profile, LoadProfile(agent.empty() ? config.agent : agent));
  std::string model = config.model;
  if (model.empty()) model = JsonString(step.settings, "model").value_or(services.model);
  if (model.empty() && step.type == StepType::kAgent) model = profile.model;
  STILE_RETURN_IF_ERROR(CheckModelAddress(config, model));
  if (model.empty()) {
    return absl::InvalidArgumentError(
        "it asks a model, and no model is chosen: give --model PROVIDER:MODEL, or set `model` in "
        "stile.yaml; `stile models` lists models");
  }
  if (absl::StrContains(model, "{{")) return absl::OkStatus();  // known once the step runs
  ModelSettings settings = config.model_access;
  settings.model = model;
  settings.sampling = services.context->options->sampling;
  settings.base_url = config.base_url.empty() ? services.base_url : config.base_url;
  const AgentOptions& options = *services.context->options;
  STILE_RETURN_IF_ERROR(CheckModelSettings(options, settings));
  STILE_ASSIGN_OR_RETURN(const auto sub_agents,
                         LoadSubAgents(profile, agent.empty() ? config.agent : agent));
  return CheckSubAgents(options, settings, config.limits, sub_agents);
}

}  // namespace

absl::Status CheckNeeds(const WorkflowServices& services, const Workflow& workflow) {
  struct Need {
    absl::Status status;
    std::vector<std::string> steps;
  };
  std::vector<Need> needs;  // one for each message
  for (const WorkflowStep& step : workflow.steps) {
    absl::Status status = CheckStep(services, step);
    if (status.ok()) continue;
    auto known = std::find_if(needs.begin(), needs.end(), [&](const Need& need) {
      return need.status.message() == status.message();
    });
    if (known == needs.end()) known = needs.insert(known, {std::move(status), {}});
    known->steps.push_back(step.name);
  }
  if (needs.empty()) return absl::OkStatus();
  return absl::Status(needs.front().status.code(),
                      absl::StrJoin(needs, "\n", [](std::string* out, const Need& need) {
                        absl::StrAppend(out, absl::StrJoin(need.steps, ", "), ": ",
                                        need.status.message());
                      }));
}

}  // namespace stile
