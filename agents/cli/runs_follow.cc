#include "agents/cli/runs_follow.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "agents/api/provider_secrets.h"
#include "agents/api/runs.h"
#include "agents/cli/output.h"
#include "agents/cli/progress_view.h"
#include "agents/cli/run_console.h"
#include "agents/cli/signals.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/clock.h"

namespace stile {
namespace {

constexpr int kInterrupted = 6;  // an internal error: how the run would have ended is unknown

int Follow(const CliContext& context, const std::string& id) {
  Cancellation* const cancellation = CancelOnSignals();
  std::optional<ProgressView> view;
  if (!context.json && !context.quiet) {
    ProgressView::Options options;
    options.terminal = DescribeTerminal(STDERR_FILENO, context.environment);
    options.terminal.is_tty = false;  // no status line: it would show another process's clock
    options.verbose = context.verbose;
    view.emplace(options, SystemClock(),
                 [](absl::string_view text) { WriteAll(STDERR_FILENO, text); });
  }
  std::optional<RunResult> result;
  std::string run_id;
  const auto on_event = [&](const Event& event) {
    if (run_id.empty()) run_id = event.run_id;
    // False: the reader has closed the pipe.
    if (context.json && !PrintJson(ToJson(event))) cancellation->Cancel();
    if (view.has_value()) view->OnEvent(event);
    if (event.type != EventType::kRunFinished) return;
    auto read = RunResultFromJson(event.data);
    if (read.ok()) result = *std::move(read);
  };
  const auto runs = Runs::Open(context.environment);
  const auto end = runs->Follow(id, on_event, cancellation);
  view.reset();
  if (!end.ok()) return ReportStatus(end.status());
  const std::string id_text = OneLine(end->id);
  if (end->outcome == "interrupted") {
    WriteAll(STDERR_FILENO,
             absl::StrCat("stile: the process of the run ", id_text,
                          " is gone; go on with `stile runs resume ", id_text, "`\n"));
    return kInterrupted;
  }
  if (!result.has_value()) {
    return ReportStatus(
        absl::DataLossError(absl::StrCat("the run ", id_text, " has no result that can be read")));
  }
  if (!context.json) {
    const SecretMasker secrets = ProviderSecrets(context.environment);
    result->message = secrets.Mask(result->message);
    result->answer = secrets.Mask(result->answer);
    Print(FormatSummary(*result, run_id, "", DescribeTerminal(STDOUT_FILENO, context.environment)));
  }
  return result->exit_code();
}

}  // namespace

void DeclareRunsFollow(CLI::App* app, CliContext* context) {
  const auto id = std::make_shared<std::string>();
  app->add_option("id", *id, "Run id, or the beginning of one (`stile runs list`)")
      ->type_name("ID")
      ->required();
  app->footer(
      "Prints what the run has done so far, and what it does, until it ends; with --json, its "
      "events.\n"
      "The exit code is that of the run; 6 if its process is gone. Ctrl-C ends only this command.");
  OnCommand(app, [id, context] { return Follow(*context, *id); });
}

}  // namespace stile
