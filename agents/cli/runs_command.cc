#include "agents/cli/runs_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "agents/api/config.h"
#include "agents/api/runs.h"
#include "agents/api/user_folders.h"
#include "agents/api/verification_request.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "agents/cli/plan_command.h"
#include "agents/cli/run_console.h"
#include "agents/cli/runs_follow.h"
#include "agents/cli/runs_prune.h"
#include "agents/cli/runs_show.h"
#include "agents/cli/runs_stats.h"
#include "agents/cli/verify_command.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/run_store.h"
#include "runtime/story/story_runner.h"
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

int List(const CliContext& context, const RunsFlags& flags) {
  const auto runs = Runs::Open(context.environment);
  auto all = runs->List(flags.steps);
  if (!all.ok()) return ReportStatus(all.status());
  std::string workspace;
  if (!flags.workspace.empty()) {
    const auto folder = ResolveFolder(flags.workspace);
    if (!folder.ok()) return ReportStatus(folder.status());
    workspace = *folder;
  }
  std::vector<RunSummary> shown;
  for (RunSummary& run : *all) {
    if (!workspace.empty() && run.workspace != workspace) continue;
    if (flags.limit > 0 && shown.size() == flags.limit) break;
    shown.push_back(std::move(run));
  }
  if (context.json) {
    Json list = Json::array();
    for (const RunSummary& run : shown) list.push_back(ToJson(run));
    PrintJson(list);
  } else {
    Print(RunTable(shown, absl::Now(), DescribeTerminal(1, context.environment)));
  }
  return 0;
}

int Show(const CliContext& context, const RunsFlags& flags) {
  const auto runs = Runs::Open(context.environment);
  const auto record = runs->Show(flags.id);
  if (!record.ok()) return ReportStatus(record.status());
  const Terminal terminal = DescribeTerminal(1, context.environment);
  Json json = ToJson(*record);
  std::string issues;
  if (record->summary.kind == kVerificationKind) {
    const auto state = runs->VerificationState(record->summary.id);
    if (!state.ok()) return ReportStatus(state.status());
    json["verification"] = VerificationReport(*state);
    issues = FormatIssues(*state, terminal);
  }
  if (context.json) {
    PrintJson(json);
  } else {
    Print(DescribeRun(*record, terminal) + issues);
  }
  return 0;
}

int Diff(const CliContext& context, const RunsFlags& flags) {
  const auto runs = Runs::Open(context.environment);
  const auto diff = runs->Diff(flags.id);
  if (!diff.ok()) return ReportStatus(diff.status());
  if (context.json) {
    const auto run = runs->Find(flags.id);
    if (!run.ok()) return ReportStatus(run.status());
    PrintJson({{"id", run->id}, {"diff", *diff}});
    return 0;
  }
  const Terminal terminal = DescribeTerminal(1, context.environment);
  // Raw bytes into a pipe, so that the patch can be applied; harmless ones for a terminal.
  Print(terminal.is_tty ? ColorDiff(*diff, terminal) : *diff);
  return 0;
}

int Undo(const CliContext& context, const RunsFlags& flags) {
  const auto runs = Runs::Open(context.environment);
  const auto undone = runs->Undo(flags.id, !flags.agent.alongside);
  if (!undone.ok()) return ReportStatus(undone.status());
  const UndoReport& report = undone->report;
  if (context.json) {
    Json json = ToJson(report);
    json["id"] = undone->id;
    PrintJson(json);
  } else {
    const std::string text = UndoText(report, undone->folder);
    Print(text.empty() ? "nothing to undo\n" : text);
  }
  return report.kept.empty() && report.lost.empty() ? 0 : 1;
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
  const auto folder = StateDir(context.environment);
  if (!folder.ok()) return ReportStatus(folder.status());
  const RunStore store(DiskFileSystem(), *folder);
  const auto run = store.Find(flags.id);
  if (!run.ok()) return ReportStatus(run.status());
  const auto summary = store.Summarize(*run);
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
  DeclareRunsFollow(app->add_subcommand("follow", "Show the events of a run until it ends"),
                    context);
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
