#include "agents/cli/run_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "agents/cli/run_console.h"
#include "runtime/base/status.h"
#include "runtime/session/workspace_state.h"
#include "runtime/story/story.h"
#include "runtime/story/story_runner.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct RunFlags {
  std::vector<std::string> images;
  AgentFlags agent;
  std::string story;
  std::string task;
  bool worktree = false;
  bool allow_dirty = false;
};

// The folder that a story names, relative to its file; else the repository that the file lies in,
// or without version control the file's folder.
std::string StoryWorkspace(const Story& story, const std::string& file) {
  if (!story.workspace.empty() && story.workspace[0] == '/') return story.workspace;
  if (!story.workspace.empty()) return JoinPath(DirName(file), story.workspace);
  const std::string root = RepositoryRoot(NewLocalProcessRunner().get(), DirName(file));
  return root.empty() ? DirName(file) : root;
}

absl::StatusOr<Story> ReadStory(const std::string& file) {
  const auto text = DiskFileSystem()->ReadFile(file, kMaxStoryBytes);
  if (text.ok()) return ParseStory(*text, file);
  return absl::InvalidArgumentError(
      absl::StrCat(text.status().message(), "; give a story file, or a task with -t \"…\""));
}

int RunStoryFile(const CliContext& context, const RunFlags& flags) {
  const auto plan = ReadStory(flags.story);
  if (!plan.ok()) return ReportRefusal(context, plan.status());
  auto options = MakeAgentOptions(context, flags.agent, StoryWorkspace(*plan, flags.story));
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  StoryOptions story;
  story.allow_dirty = flags.allow_dirty;
  story.worktree = flags.worktree;
  story.commit = options->config.deliver.commit;
  story.paths = options->config.deliver.paths;
  RunConsole console(context, context.json, &*options);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  // Absolute: a retry may come from another folder.
  const auto file = RealPath(flags.story);
  if (!file.ok()) return console.Finish(file.status());
  return console.Finish((*agent)->RunStory(*file, story));
}

int RunTask(const CliContext& context, const RunFlags& flags) {
  std::string text = flags.task;
  if (text == "-" && isatty(STDIN_FILENO) != 0) {
    WriteAll(STDERR_FILENO, "Type the task; Ctrl-D on a line of its own ends it.\n");
  }
  if (text == "-") text.assign(std::istreambuf_iterator<char>(std::cin), {});
  if (absl::StripAsciiWhitespace(text).empty())
    return ReportRefusal(context, absl::InvalidArgumentError("the task is empty; say it with -t"));
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  RunConsole console(context, context.json, &*options);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  Task task;
  task.text = text;
  task.images = flags.images;
  return console.Finish((*agent)->Run(task));
}

int Run(const CliContext& context, const RunFlags& flags) {
  if (flags.story.empty() == flags.task.empty()) {
    return ReportRefusal(
        context,
        absl::InvalidArgumentError(
            flags.story.empty() ? "nothing to run; give a story file, or a task with -t \"…\""
                                : "a story and a task were given; give one of them"));
  }
  if (!flags.story.empty() && !flags.images.empty()) {
    return ReportRefusal(
        context,
        absl::InvalidArgumentError(
            "--image belongs to a task (-t); the steps of a story name files that they read"));
  }
  if (!flags.story.empty()) return RunStoryFile(context, flags);
  if (flags.worktree || flags.allow_dirty) {
    return ReportRefusal(
        context, absl::InvalidArgumentError(
                     "--worktree and --allow-dirty belong to stories; a task runs in place"));
  }
  return RunTask(context, flags);
}

}  // namespace

void DeclareRun(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<RunFlags>();
  app->add_option("story", flags->story, "Story file (YAML or Markdown)")->type_name("STORY");
  app->add_option("-t,--task", flags->task, "One task in place of a story; - reads it from stdin")
      ->type_name("TEXT");
  app->add_option("--image", flags->images,
                  "A picture for the model, beside the task; may be repeated")
      ->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  DeclareAlongsideFlag(app, &flags->agent);
  app->add_flag("--worktree", flags->worktree, "Work in a second working tree, not in place")
      ->group("Story");
  app->add_flag("--allow-dirty", flags->allow_dirty, "Start although there are uncommitted changes")
      ->group("Story");
  DeclareParallelismFlag(app, &flags->agent);
  app->add_flag_callback(
         "--no-commit",
         [flags = flags.get()] {
           flags->agent.config.values.push_back({"deliver.commit", "false", "--no-commit"});
         },
         "Leave the result uncommitted on its branch")
      ->group("Story");
  app->footer(
      "Examples:\n"
      "  stile run -t \"Fix the failing test\" --model anthropic:claude-sonnet-5\n"
      "  stile run -t \"Port main.c to C11\" --workspace ~/src/app --yes --max-turns 20\n"
      "  stile run stories/rename.yaml --worktree --json");
  OnCommand(app, [flags, context] { return Run(*context, *flags); });
}

}  // namespace stile
