#include "agents/api/run_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "agents/api/model_checks.h"
#include "agents/api/sub_agents.h"
#include "runtime/agent_loop/budget.h"
#include "runtime/base/picture.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/allowance.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/mcp/mcp_tools.h"

namespace stile {
namespace {

constexpr char kSpawnTool[] = "agent.spawn";
constexpr char kSubAgentProfile[] = "coding-agent";  // where none is named

// "Go (go-build in api), Python (py-compile)": what the model should know of the place.
std::string DescribeLanguages(const TargetMap& targets) {
  std::vector<std::string> parts;
  for (const Target& target : targets.targets()) {
    if (target.level != Level::kBuild) continue;
    const std::string root =
        target.project.root == "." ? "" : absl::StrCat(" in ", ToUtf8(target.project.root));
    parts.push_back(absl::StrCat(
        target.project.language->name, " (",
        target.validator == nullptr ? "no validator" : target.validator_id(), root, ")"));
    if (parts.size() == 12) {
      parts.emplace_back("…");
      break;
    }
  }
  return parts.empty() ? "none yet" : absl::StrJoin(parts, ", ");
}

absl::StatusOr<std::string> SystemPrompt(const AgentProfile& profile, const std::string& workspace,
                                         const Gate& gate) {
  STILE_ASSIGN_OR_RETURN(const PromptTemplate system, LoadPrompt("system"));
  return system.Fill({{"profile", profile.system_prompt},
                      {"workspace", workspace},
                      {"languages", DescribeLanguages(gate.targets())}});
}

// Whether a profile with these patterns has the tool; without any it has all. `mcp.*` is the tools
// of all MCP servers.
bool IsListed(const std::vector<std::string>& patterns, const ToolSpec& tool) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return GlobMatch(pattern, tool.name) || (!tool.server.empty() && pattern == "mcp.*");
         });
}

// One that the run's own profile names, else a bundled one.
absl::StatusOr<AgentProfile> SubAgentProfile(const RunPlan& run, const std::string& name) {
  std::vector<std::string> named;
  for (const AgentProfile& profile : run.sub_agents) {
    if (profile.name == name) return profile;
    named.push_back(profile.name);
  }
  absl::StatusOr<AgentProfile> bundled = LoadProfile(name);
  if (bundled.ok() || named.empty()) return bundled;
  return absl::NotFoundError(absl::StrCat("there is no agent '", name, "'; this run has ",
                                          absl::StrJoin(named, ", "),
                                          ", and the agents that come with Stile"));
}

// What the repository says to agents goes before the task.
absl::Status AddInstructions(const GatedWorkspace& workspace, RunPlan* plan) {
  InstructionPlace place;
  place.workspace = workspace.workspace();
  const std::optional<Repository>& repository = workspace.state().repository;
  if (repository.has_value()) place.repository_root = repository->root();
  for (const FileRecord& file : workspace.gate()->current().files()) {
    place.files.push_back(file.path);
  }
  plan->instruction_sources = FindProjectInstructions(place);
  STILE_ASSIGN_OR_RETURN(plan->instructions, InstructionsPrompt(plan->instruction_sources));
  return absl::OkStatus();
}

// `instructions` may be empty.
std::string Before(const std::string& instructions, const std::string& prompt) {
  return instructions.empty() ? prompt : absl::StrCat(instructions, "\n\n", prompt);
}

}  // namespace

std::string RunPlan::FirstMessage() const { return Before(instructions, user_prompt); }

absl::Status CheckRecordFile(const std::string& file) {
  struct stat info {};
  if (file.empty() || stat(file.c_str(), &info) != 0 || info.st_size == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--record: ", file, " holds a recording already; give another file, or remove it"));
}

std::string PublicUrl(absl::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t scheme = url.find("://");
  if (scheme == absl::string_view::npos) return std::string(url);
  const size_t host = scheme + 3;
  const size_t at = url.substr(host, url.find('/', host) - host).rfind('@');
  return at == absl::string_view::npos
             ? std::string(url)
             : absl::StrCat(url.substr(0, host), url.substr(host + at + 1));
}

size_t PlayedTurns(absl::string_view model, CassetteTurns turns) {
  if (!absl::ConsumePrefix(&model, "replay:")) return 0;
  return static_cast<size_t>(DirectoryExists(std::string(model)) ? turns.of_step : turns.of_all);
}

ModelSettings SettingsOf(const SessionContext& context, const AgentTask& task) {
  const AgentOptions& options = *context.options;
  ModelSettings settings = options.config.model_access;
  settings.model = options.config.model.empty() ? task.model : options.config.model;
  settings.base_url = options.config.base_url.empty() ? task.base_url : options.config.base_url;
  settings.record_file = options.record_file;
  settings.sampling = options.sampling;
  settings.replay_strict = options.replay_strict;
  settings.cassette_step = task.cassette_step;
  settings.replay_skip = PlayedTurns(settings.model, task.turns_before);
  return settings;
}

absl::StatusOr<RunPlan> PlanRun(const SessionContext& context, const AgentTask& task,
                                const GatedWorkspace& workspace) {
  const Config& config = context.options->config;
  RunPlan plan;
  plan.agent = task.agent.empty() ? config.agent : task.agent;
  STILE_ASSIGN_OR_RETURN(const AgentProfile profile, LoadProfile(plan.agent));
  STILE_ASSIGN_OR_RETURN(const PromptTemplate step,
                         LoadPrompt(task.retry ? "step-retry" : "step-execute"));
  STILE_ASSIGN_OR_RETURN(plan.system_prompt,
                         SystemPrompt(profile, task.workspace, *workspace.gate()));
  STILE_ASSIGN_OR_RETURN(plan.user_prompt,
                         step.Fill({{"task", task.text}, {"context", task.context}}));
  if (config.instructions) STILE_RETURN_IF_ERROR(AddInstructions(workspace, &plan));
  plan.tools = profile.tools;
  plan.limits = config.limits;
  if (profile.max_turns > 0 &&
      (plan.limits.max_turns == 0 || plan.limits.max_turns > profile.max_turns)) {
    plan.limits.max_turns = profile.max_turns;
  }
  ApplyGivenLimits(config, &plan.limits);
  if (task.max_turns > 0) plan.limits.max_turns = task.max_turns;
  plan.temperature = profile.temperature;
  plan.model = SettingsOf(context, task);
  if (plan.model.model.empty()) plan.model.model = profile.model;
  STILE_ASSIGN_OR_RETURN(plan.sub_agents, LoadSubAgents(profile, plan.agent));
  return plan;
}

std::string RulesSha256(const Config& config) {
  Json validators = Json::array();
  for (const CommandValidatorSettings& validator : config.validators) {
    validators.push_back({validator.id, std::string(LevelName(validator.level)), validator.command,
                          validator.project_files, validator.diagnostics, validator.each,
                          validator.files, validator.languages, validator.network});
  }
  Json languages = Json::array();
  for (const LanguageDeclaration& declared : config.languages) languages.push_back(declared.text);
  Json rules = {ToJson(config.gate),
                config.permissions.allow,
                config.permissions.ask,
                config.permissions.deny,
                std::move(validators),
                std::move(languages),
                static_cast<int>(config.sandbox.mode),
                config.sandbox.network,
                config.sandbox.write,
                config.sandbox.environment};
  for (const McpServerSettings& server : config.mcp_servers) {
    rules.push_back(
        {server.name, server.command, server.url, server.network, server.tools, server.read_only});
  }
  return Sha256Hex(DumpJson(rules));
}

Json ToJson(const RunPlan& plan, const AgentTask& task) {
  Json pictures = Json::array();
  for (const ImageData& image : plan.user_images) {
    pictures.push_back({{"media_type", image.media_type}, {"file", image.file}});
  }
  return {{"task", ToUtf8(task.text)},
          {"context", ToUtf8(task.context)},
          {"agent", ToUtf8(plan.agent)},
          {"model", plan.model.model},
          {"base_url", PublicUrl(plan.model.base_url)},
          {"protocol", plan.model.protocol},
          {"api", plan.model.api},
          {"effort", plan.model.effort},
          {"fallback", plan.model.fallback},
          {"cassette_step", plan.model.cassette_step},
          {"system_prompt", plan.system_prompt},
          {"user_prompt", ToUtf8(plan.user_prompt)},
          {"pictures", std::move(pictures)},
          {"instructions",
           {{"sources", ToJson(plan.instruction_sources)}, {"text", plan.instructions}}},
          {"tools", plan.tools},
          {"sub_agents", ToJson(plan.sub_agents)},
          {"temperature", plan.temperature},
          {"request_sha256", task.request_sha256},
          {"limits", ToJson(plan.limits)}};
}

Json ToJson(const RunLimits& limits) {
  return {{"max_turns", limits.max_turns},
          {"tokens", limits.tokens},
          {"cost_usd", limits.cost_usd},
          {"wall_time_s", limits.wall_time_s},
          {"context_tokens", limits.context_tokens}};
}

void ApplyGivenLimits(const Config& config, RunLimits* limits) {
  const auto given = [&](const char* key) { return config.given.count(key) > 0; };
  if (given("limits.max_turns")) limits->max_turns = config.limits.max_turns;
  if (given("limits.tokens")) limits->tokens = config.limits.tokens;
  if (given("limits.cost_usd")) limits->cost_usd = config.limits.cost_usd;
  if (given("limits.wall_time_s")) limits->wall_time_s = config.limits.wall_time_s;
  if (given("limits.context_tokens")) limits->context_tokens = config.limits.context_tokens;
}

absl::Status CheckLimits(const std::string& run_id, const RunHistory& history,
                         const RunLimits& limits) {
  Budget budget(limits);
  for (size_t i = 0; i < history.CountTurns(); ++i) budget.AddTurn();
  budget.AddUsage(history.TotalUsage());
  const auto reason = budget.Exceeded(history.elapsed);
  if (!reason.has_value()) return absl::OkStatus();
  std::string flag = absl::StrCat("--max-turns N, with N above ", budget.turns());
  if (*reason == StopReason::kTokenBudget) {
    flag = absl::StrCat("--max-tokens N, with N above ", budget.usage().total());
  } else if (*reason == StopReason::kCostBudget) {
    flag = absl::StrCat("--max-cost USD, with more than ", budget.usage().cost_usd);
  } else if (*reason == StopReason::kWallTime) {
    flag = absl::StrCat("--max-time SECONDS, with more than ",
                        static_cast<int64_t>(absl::ToDoubleSeconds(history.elapsed)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run_id, " has used up a limit (", StopReasonName(*reason),
                   "), and would end at once; raise it: stile runs resume ",
                   run_id.substr(0, run_id.find('.')), " ", flag));
}

absl::StatusOr<std::vector<ImageData>> LoadPictures(const std::vector<std::string>& files,
                                                    const ModelInfo& model) {
  std::vector<ImageData> pictures;
  for (const std::string& file : files) {
    const auto bytes = DiskFileSystem()->ReadFile(file, kMaxPictureBytes);
    if (!bytes.ok()) return absl::InvalidArgumentError(bytes.status().message());
    const std::string type = PictureType(*bytes);
    if (type.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          file, " is no picture that models take; give a PNG, JPEG, GIF or WebP file"));
    }
    pictures.push_back({type, Base64Encode(*bytes), file});
  }
  // Of models that the catalogue does not know, only the provider can tell.
  if (!pictures.empty() && model.context_tokens > 0 && !model.takes_images) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.provider, ":", model.model, " takes no pictures; choose another model"));
  }
  return pictures;
}

RunPlan PlanFromJson(const Json& start, const ModelSettings& present) {
  RunPlan plan;
  plan.model = present;
  if (plan.model.model.empty()) plan.model.model = JsonString(start, "model").value_or("");
  if (plan.model.base_url.empty()) plan.model.base_url = JsonString(start, "base_url").value_or("");
  plan.model.protocol = JsonString(start, "protocol").value_or("auto");
  const auto keep = [&start](const char* key, std::string* field) {
    if (field->empty()) *field = JsonString(start, key).value_or("");
  };
  keep("api", &plan.model.api);
  keep("effort", &plan.model.effort);
  keep("fallback", &plan.model.fallback);
  plan.model.cassette_step = JsonString(start, "cassette_step").value_or("");
  plan.agent = JsonString(start, "agent").value_or("");
  plan.system_prompt = JsonString(start, "system_prompt").value_or("");
  plan.user_prompt = JsonString(start, "user_prompt").value_or("");
  if (const Json* instructions = JsonMember(start, "instructions")) {
    plan.instructions = JsonString(*instructions, "text").value_or("");
  }
  plan.temperature = JsonNumber(start, "temperature").value_or(-1);
  plan.sub_agents = SubAgentsFromJson(start);
  if (const Json* pictures = JsonMember(start, "pictures"); pictures && pictures->is_array()) {
    for (const Json& picture : *pictures) {
      plan.user_images.push_back({JsonString(picture, "media_type").value_or(""), "",
                                  JsonString(picture, "file").value_or("")});
    }
  }
  if (const Json* tools = JsonMember(start, "tools"); tools && tools->is_array()) {
    for (const Json& tool : *tools) {
      if (tool.is_string()) plan.tools.push_back(tool.get<std::string>());
    }
  }
  if (const Json* limits = JsonMember(start, "limits")) {
    plan.limits.max_turns = static_cast<int>(JsonInt(*limits, "max_turns").value_or(50));
    plan.limits.tokens = JsonInt(*limits, "tokens").value_or(0);
    plan.limits.cost_usd = JsonNumber(*limits, "cost_usd").value_or(0);
    plan.limits.wall_time_s = JsonInt(*limits, "wall_time_s").value_or(0);
    plan.limits.context_tokens = JsonInt(*limits, "context_tokens").value_or(0);
  }
  return plan;
}

absl::StatusOr<std::unique_ptr<ChatModel>> ModelFor(const SessionContext& context,
                                                    const RunPlan& plan) {
  STILE_RETURN_IF_ERROR(CheckModelAddress(context.options->config, plan.model.model));
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChatModel> model,
                         NewChatModel(plan.model, context.options->environment, context.clock));
  STILE_RETURN_IF_ERROR(CheckPrice(plan.limits, plan.model, *model));
  STILE_RETURN_IF_ERROR(CheckSubAgents(*context.options, plan.model, plan.limits, plan.sub_agents));
  return model;
}

std::vector<Allowance> AllowancesIn(const Json& start) {
  std::vector<Allowance> allow;
  const Json* const texts = JsonMember(start, "allow");
  if (texts == nullptr || !texts->is_array()) return allow;
  for (const Json& text : *texts) {
    auto allowance = ParseAllowance(text.is_string() ? text.get<std::string>() : "");
    if (allowance.ok()) allow.push_back(*std::move(allowance));
  }
  return allow;
}

bool WantsServer(const RunPlan& plan, const std::string& server) {
  const auto may_list = [&](const std::string& pattern) {
    const std::string first = pattern.substr(0, pattern.find('.'));
    return first == "mcp" || GlobMatch(first, server);
  };
  return plan.tools.empty() || std::any_of(plan.tools.begin(), plan.tools.end(), may_list);
}

std::vector<std::unique_ptr<Tool>> ToolsFor(const RunPlan& plan, const ToolParts& parts,
                                            std::vector<std::string>* warnings) {
  std::vector<std::unique_ptr<Tool>> tools = NewBuiltinTools(
      parts.gate, parts.languages, parts.index, parts.resolvers, &BundledPatterns());
  std::vector<std::string> unheard;
  AddMcpResourceTools(parts.mcp_servers, *parts.mcp_tools, &tools);
  AddMcpTools(parts.mcp_servers, *parts.mcp_tools, &tools,
              warnings == nullptr ? &unheard : warnings);
  std::erase_if(tools, [&](const std::unique_ptr<Tool>& tool) {
    return !IsListed(plan.tools, tool->spec());
  });
  return tools;
}

absl::StatusOr<SubAgentPlan> PlanSubAgent(const SessionContext& context, const RunPlan& run,
                                          const ToolParts& parts, const std::string& workspace,
                                          const std::string& name, const std::string& task) {
  if (absl::StrContains(name, '/') || absl::EndsWith(name, ".md")) {
    return absl::InvalidArgumentError("agent is the name of a profile, not a file");
  }
  STILE_ASSIGN_OR_RETURN(const AgentProfile profile,
                         SubAgentProfile(run, name.empty() ? kSubAgentProfile : name));
  STILE_ASSIGN_OR_RETURN(const PromptTemplate prompt, LoadPrompt("sub-agent"));
  SubAgentPlan plan;
  STILE_ASSIGN_OR_RETURN(plan.system_prompt, SystemPrompt(profile, workspace, *parts.gate));
  STILE_ASSIGN_OR_RETURN(const std::string filled, prompt.Fill({{"task", task}}));
  plan.user_prompt = Before(run.instructions, filled);
  std::vector<std::unique_ptr<Tool>> tools = ToolsFor(run, parts, nullptr);
  std::erase_if(tools, [&](const std::unique_ptr<Tool>& tool) {
    return tool->spec().name == kSpawnTool || !IsListed(profile.tools, tool->spec());
  });
  plan.tools = std::make_unique<ToolRegistry>(std::move(tools));
  plan.max_turns = profile.max_turns;
  plan.temperature = profile.temperature;
  const std::optional<ModelSettings> model = ModelOfSubAgent(run.model, profile);
  if (!model.has_value()) return plan;
  STILE_ASSIGN_OR_RETURN(plan.model,
                         NewChatModel(*model, context.options->environment, context.clock));
  plan.context_tokens =
      run.limits.context_tokens > 0 ? run.limits.context_tokens : plan.model->info().context_tokens;
  return plan;
}

}  // namespace stile
