#include "agents/cli/runs_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "agents/api/run_undo.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "agents/cli/plan_command.h"
#include "agents/cli/run_console.h"
#include "agents/cli/runs_diff.h"
#include "agents/cli/runs_prune.h"
#include "agents/cli/runs_show.h"
#include "agents/cli/runs_stats.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

struct RunsFlags {
  std::string id;
  AgentFlags agent;       // resume, retry
  std::string workspace;  // list: only its runs
  bool steps = false;
  size_t limit = 20;
  int step = 1;
};

absl::StatusOr<RunStore> OpenStore(const CliContext& context) {
  STILE_ASSIGN_OR_RETURN(const std::string folder, StateDir(context.environment));
  return RunStore(DiskFileSystem(), folder);
}

int List(const CliContext& context, const RunsFlags& flags) {
  auto store = OpenStore(context);
  if (!store.ok()) return ReportStatus(store.status());
  auto all = store->List(flags.steps);
  if (!all.ok()) return ReportStatus(all.status());
  std::string workspace;
  if (!flags.workspace.empty()) {
    const auto folder = ResolveFolder(flags.workspace);
    if (!folder.ok()) return ReportStatus(folder.status());
    workspace = *folder;
  }
  std::vector<RunSummary> runs;
  for (RunSummary& run : *all) {
    if (!workspace.empty() && run.workspace != workspace) continue;
    if (flags.limit > 0 && runs.size() == flags.limit) break;
    runs.push_back(std::move(run));
  }
  if (context.json) {
    Json list = Json::array();
    for (const RunSummary& run : runs) list.push_back(ToJson(run));
    PrintJson(list);
  } else {
    Print(RunTable(runs, absl::Now(), DescribeTerminal(1, context.environment)));
  }
  return 0;
}

// A store, and the run in it that the flags name.
struct Found {
  RunStore store;
  RunPaths run;
};

absl::StatusOr<Found> FindRun(const CliContext& context, const RunsFlags& flags) {
  STILE_ASSIGN_OR_RETURN(RunStore store, OpenStore(context));
  STILE_ASSIGN_OR_RETURN(RunPaths run, store.Find(flags.id));
  return Found{std::move(store), std::move(run)};
}

int Show(const CliContext& context, const RunsFlags& flags) {
  auto found = FindRun(context, flags);
  if (!found.ok()) return ReportStatus(found.status());
  const auto runner = NewLocalProcessRunner();
  auto details = DescribeRun({&found->store, runner.get(), SystemClock()}, found->run, context.json,
                             DescribeTerminal(1, context.environment));
  if (!details.ok()) return ReportStatus(details.status());
  Print(*details);
  return 0;
}

int Diff(const CliContext& context, const RunsFlags& flags) {
  auto found = FindRun(context, flags);
  if (!found.ok()) return ReportStatus(found.status());
  const auto runner = NewLocalProcessRunner();
  const auto changes = ChangesOfRun({&found->store, runner.get(), SystemClock()}, found->run);
  if (!changes.ok()) return ReportStatus(changes.status());
  auto diff = DiffChanges(&found->store, found->run, *changes, context.environment);
  if (!diff.ok()) return ReportStatus(diff.status());
  if (context.json) {
    PrintJson({{"id", found->run.id}, {"diff", *diff}});
    return 0;
  }
  const Terminal terminal = DescribeTerminal(1, context.environment);
  // Raw bytes into a pipe, so that the patch can be applied; harmless ones for a terminal.
  Print(terminal.is_tty ? ColorDiff(*diff, terminal) : *diff);
  return 0;
}

int Undo(const CliContext& context, const RunsFlags& flags) {
  auto found = FindRun(context, flags);
  if (!found.ok()) return ReportStatus(found.status());
  const auto runner = NewLocalProcessRunner();
  const auto report = UndoWholeRun({&found->store, runner.get(), SystemClock()}, found->run,
                                   !flags.agent.alongside);
  if (!report.ok()) return ReportStatus(report.status());
  if (context.json) {
    Json json = ToJson(*report);
    json["id"] = found->run.id;
    PrintJson(json);
  } else {
    const auto run = found->store.Summarize(found->run);
    if (!run.ok()) return ReportStatus(run.status());
    const std::string text = UndoText(*report, WorkFolder(found->store, *run, found->run));
    Print(text.empty() ? "nothing to undo\n" : text);
  }
  return report->kept.empty() && report->lost.empty() ? 0 : 1;
}

// Options for going on with a run in the workspace that it had.
absl::StatusOr<AgentOptions> OptionsOf(const CliContext& context, const RunsFlags& flags,
                                       const RunSummary& run) {
  AgentFlags agent = flags.agent;
  if (agent.workspace.empty()) agent.workspace = run.workspace;
  auto options = MakeAgentOptions(context, agent);
  if (!options.ok()) return WithContext(options.status(), absl::StrCat("run ", run.id));
  options->alone = !flags.agent.alongside;
  return options;
}

int GoOn(const CliContext& context, const RunsFlags& flags, bool retry) {
  auto store = OpenStore(context);
  if (!store.ok()) return ReportStatus(store.status());
  auto run = store->Find(flags.id);
  if (!run.ok()) return ReportStatus(run.status());
  auto summary = store->Summarize(*run);
  if (!summary.ok()) return ReportStatus(summary.status());
  auto options = OptionsOf(context, flags, *summary);
  if (!options.ok()) return ReportRefusal(context, options.status());
  RunConsole console(context, context.json, &*options);
  if (const absl::Status used = UseAnswers(flags.agent, &*options); !used.ok()) {
    return console.Finish(used);
  }
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  if (retry) return console.Finish((*agent)->RetryStory(run->id, flags.step));
  const int code = console.Finish((*agent)->Resume(run->id));
  return code == 0 ? DeliverResumedPlan(context, *run) : code;
}

using RunsFunction = int (*)(const CliContext&, const RunsFlags&);

CLI::App* AddRuns(CLI::App* app, CliContext* context, const std::shared_ptr<RunsFlags>& flags,
                  const char* name, const char* help, RunsFunction function) {
  CLI::App* command = app->add_subcommand(name, help);
  OnCommand(command, [context, flags, function] { return function(*context, *flags); });
  return command;
}

void AddId(CLI::App* app, RunsFlags* flags) {
  app->add_option("id", flags->id, "Run id, or the beginning of one (`stile runs list`)")
      ->type_name("ID")
      ->required();
}

}  // namespace

void DeclareRuns(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<RunsFlags>();
  app->require_subcommand(1);
  CLI::App* list = AddRuns(app, context, flags, "list", "Runs, newest first", List);
  list->add_option("-C,--workspace", flags->workspace, "Only runs in this folder")
      ->type_name("DIR");
  list->add_option("-n,--limit", flags->limit, "At most this many (20); 0: all")->type_name("N");
  list->add_flag("--steps", flags->steps, "Also the steps of stories");

  AddId(AddRuns(app, context, flags, "show", "What a run did, in order", Show), flags.get());
  AddId(AddRuns(app, context, flags, "diff", "What a run changed, as a patch", Diff), flags.get());
  CLI::App* undo = AddRuns(app, context, flags, "undo", "Put back what a run changed", Undo);
  AddId(undo, flags.get());
  DeclareAlongsideFlag(undo, &flags->agent);
  undo->footer(
      "Works after any end, also a kill. Restores a file only if it still holds what the run\n"
      "wrote; exit code 1 if a file is left. Cannot restore ignored files, or uncommitted files\n"
      "over 8 MB. For a story without a commit, also removes its working trees and its branch.");

  CLI::App* resume =
      AddRuns(app, context, flags, "resume", "Go on with a run that was stopped or did not succeed",
              [](const CliContext& c, const RunsFlags& f) { return GoOn(c, f, false); });
  AddId(resume, flags.get());
  resume->footer(
      "After every end but success and undo. Where a limit ended the run, raise it (--max-turns,\n"
      "--max-tokens, --max-cost, --max-time); what the run used so far counts.");
  DeclareAgentFlags(resume, &flags->agent);
  DeclareParallelismFlag(resume, &flags->agent);
  DeclareAnswersFlag(resume, &flags->agent);
  DeclareAlongsideFlag(resume, &flags->agent);

  CLI::App* retry =
      AddRuns(app, context, flags, "retry", "Reset a step of a story and go on from there",
              [](const CliContext& c, const RunsFlags& f) { return GoOn(c, f, true); });
  AddId(retry, flags.get());
  retry->add_option("--step", flags->step, "The first step to run again")
      ->type_name("N")
      ->required()
      ->check(CLI::PositiveNumber);
  DeclareAgentFlags(retry, &flags->agent);
  DeclareParallelismFlag(retry, &flags->agent);
  DeclareAlongsideFlag(retry, &flags->agent);
  DeclareRunsPrune(app->add_subcommand("prune", "Remove old runs and what only they needed"),
                   context);
  DeclareRunsStats(app->add_subcommand("stats", "How runs went: success, first-pass builds, cost"),
                   context);
  app->footer(
      "Runs are kept in $STILE_STATE_DIR, else $XDG_STATE_HOME/stile, else ~/.local/state/stile.");
}

}  // namespace stile
