#include "agents/cli/plan_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agents/api/file_servers.h"
#include "agents/api/pipeline_inputs.h"
#include "agents/api/planned_story.h"
#include "agents/api/provider_secrets.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_run.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/journal/journal.h"
#include "runtime/story/story.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct PlanFlags {
  AgentFlags agent;
  std::string goal;
  std::string out;
  bool replace = false;
  std::string check;
};

absl::StatusOr<Story> ReadStory(const std::string& file) {
  if (file != "-") {
    STILE_ASSIGN_OR_RETURN(const std::string text,
                           DiskFileSystem()->ReadFile(file, kMaxStoryBytes));
    return ParseStory(text, file);
  }
  std::string text(kMaxStoryBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::cin.gcount()));
  if (text.size() > kMaxStoryBytes)
    return absl::InvalidArgumentError("plan.yaml: larger than 1 MiB");
  // JSON is YAML but for what it may escape.
  if (const auto json = ParseJson(text); json.ok()) return ParseStory(YamlText(*json), "plan.yaml");
  return ParseStory(text, "plan.yaml");
}

int Check(const std::string& file) {
  const auto story = ReadStory(file);
  if (!story.ok()) return ReportStatus(story.status());
  if (file != "-") {
    const auto text = DiskFileSystem()->ReadFile(file, kMaxStoryBytes);
    const absl::Status servers = text.ok() ? ServersIn(*text, file).status() : text.status();
    if (!servers.ok()) return ReportStatus(servers);
  }
  Print(StoryText(*story));
  return 0;
}

// An error about the file, for people.
absl::Status OfOut(const PlanFlags& flags, absl::Status status) {
  if (absl::IsAlreadyExists(status)) {
    status = absl::InvalidArgumentError("exists already; --replace overwrites it");
  }
  return WithContext(status, absl::StrCat("--out ", ToUtf8(flags.out)));
}

// Before a model is asked: whether the story can be written there, over nothing but a file.
absl::Status CheckOut(const PlanFlags& flags) {
  if (flags.out.empty()) return absl::InvalidArgumentError("name the story's file with --out FILE");
  return OfOut(flags, CheckPlanFile(flags.out, flags.replace));
}

// `outputs`: of the workflow's steps.
absl::Status WriteStory(const PlanFlags& flags, const Json& outputs) {
  STILE_ASSIGN_OR_RETURN(Story story, PlannedStory(outputs));
  return OfOut(
      flags, WritePlannedStory(std::move(story), flags.out, flags.agent.workspace, flags.replace));
}

// The steps, wave by wave.
std::string Overview(const Story& story) {
  std::set<int> waves;
  for (const StoryStep& step : story.steps) waves.insert(step.wave);
  std::string text =
      absl::StrCat(Count(story.steps.size(), "step"), " in ", Count(waves.size(), "wave"), ":\n");
  for (const StoryStep& step : story.steps) {
    absl::StrAppend(&text, "  ", step.wave, "  ", OneLine(step.name), "\n");
  }
  return text;
}

int Deliver(const CliContext& context, const PlanFlags& flags, const Json& outputs) {
  if (const absl::Status status = WriteStory(flags, outputs); !status.ok()) {
    return ReportStatus(status);
  }
  if (context.json) return 0;
  const auto story = ReadStory(flags.out);
  if (!story.ok()) return ReportStatus(story.status());
  Print(absl::StrCat("\n", OneLine(flags.out), ": ", Overview(*story), "Read it, then: stile run ",
                     ShellQuoted(flags.out), "\n"));
  return 0;
}

int Plan(const CliContext& context, const PlanFlags& flags) {
  if (!flags.check.empty()) {
    if (!flags.goal.empty() || !flags.out.empty()) {
      return UsageError("--check asks no model: leave out the goal and --out");
    }
    return Check(flags.check);
  }
  if (absl::StripAsciiWhitespace(flags.goal).empty()) return UsageError("say what the goal is");
  if (const absl::Status status = CheckOut(flags); !status.ok()) return ReportStatus(status);
  const auto workspace = WorkspaceSeenFrom(flags.out, flags.agent.workspace);
  if (!workspace.ok()) return ReportStatus(workspace.status());
  WorkflowRequest request;
  const std::string out = std::filesystem::absolute(flags.out).string();
  if (!IsUtf8(out)) return UsageError("--out is no UTF-8");
  // Where the story goes is for whoever goes on with a run that was killed.
  request.inputs = {{"goal", ToUtf8(flags.goal)}, {"out", out}, {"replace", flags.replace}};
  // It reads the workspace and changes nothing there.
  AgentFlags agent = flags.agent;
  agent.alongside = true;
  const ShownWorkflow shown = RunAndShow(context, agent, kPlanWorkflow, request);
  if (!shown.outcome.has_value() || !shown.outcome->overall.ok()) return shown.exit_code;
  return Deliver(context, flags, shown.outcome->workflow.outputs);
}

}  // namespace

int DeliverResumedPlan(const CliContext& context, const RunPaths& run) {
  const SecretMasker secrets = ProviderSecrets(context.environment);
  const auto journal = ReadJournal(run.journal, &secrets);
  if (!journal.ok()) return ReportStatus(journal.status());
  if (journal->events.empty()) return 0;
  const Json& start = journal->events.front().data;
  if (JsonString(start, "workflow_file") != kPlanWorkflow) return 0;
  const Json inputs = start.value("inputs", Json::object());
  PlanFlags flags;
  flags.out = JsonString(inputs, "out").value_or("");
  flags.replace = JsonBool(inputs, "replace").value_or(false);
  flags.agent.workspace = JsonString(start, "workspace").value_or("");
  // Of several ends the last one was good.
  for (auto event = journal->events.rbegin(); event != journal->events.rend(); ++event) {
    if (event->type != EventType::kWorkflowFinished) continue;
    if (const absl::Status status = CheckRestored(event->data); !status.ok()) {
      return ReportStatus(status);
    }
    return Deliver(context, flags, event->data.value("outputs", Json::object()));
  }
  return 0;
}

void DeclarePlan(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<PlanFlags>();
  app->add_option("GOAL", flags->goal, "What is to be reached");
  app->add_option("--out", flags->out, "The story to write (YAML)")->type_name("FILE");
  app->add_flag("--replace", flags->replace, "Overwrite what is there already");
  app->add_option("--check", flags->check,
                  "Print this story as Stile reads it, or its first error; asks no model")
      ->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  app->footer(
      "An agent that only reads divides the goal into 3 to 6 steps with waves; a plan that is no "
      "story\n"
      "goes back to it. Steps of one wave run at the same time, each in a working tree of its own; "
      "their\n"
      "work is merged and validated again.\n"
      "  stile plan \"Split the parser from the printer\" --out stories/split.yaml\n"
      "  stile run stories/split.yaml");
  OnCommand(app, [flags, context] { return Plan(*context, *flags); });
}

}  // namespace stile
