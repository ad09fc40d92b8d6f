#include "agents/cli/gate_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/run_console.h"
#include "runtime/base/shell_words.h"
#include "runtime/session/program_body.h"

namespace stile {
namespace {

struct GateRunFlags {
  AgentFlags agent;
  std::string again;
  std::vector<std::string> command;
};

int RunUnderGate(const CliContext& context, const GateRunFlags& flags) {
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  GatedProgram program;
  program.argv = flags.command;
  const auto again = SplitShellWords(flags.again);
  if (!again.ok()) {
    return ReportRefusal(context, absl::InvalidArgumentError(absl::StrCat(
                                      "--again is ", again.status().message(), ": ", flags.again)));
  }
  program.again = *again;
  program.environment = context.environment;
  // Events are alone on standard output.
  if (context.json) program.streams.out = STDERR_FILENO;
  if (options->config.limits.wall_time_s > 0) {
    program.time_limit = absl::Seconds(options->config.limits.wall_time_s);
  }
  RunConsole console(context, context.json, &*options);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  return console.Finish((*agent)->RunProgram(program));
}

void DeclareGateRun(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<GateRunFlags>();
  app->add_option("command", flags->command, "The program and its arguments, behind --")
      ->type_name("CMD ARGS")
      ->required();
  app->add_option(
         "--again", flags->again,
         "After a refusal of the gate, run this; {{refusal}} stands for what has to change")
      ->type_name("COMMAND");
  DeclareGateFlags(app, &flags->agent);
  app->footer(
      "Runs a program, such as another coding agent, and judges the files that it changed as those "
      "of\n"
      "an agent of Stile. The exit code is Stile's (0: the changed code builds); the program's own "
      "is in\n"
      "the result. The program is not in a sandbox, has the terminal, and keeps its own settings.\n"
      "--again is split into words as a shell does, but no shell runs it; it is used at most\n"
      "gate.max_failures times. Without it a refusal ends the run with exit code 3.\n"
      "\n"
      "Examples:\n"
      "  stile gate run -- claude -p \"Rename OrderService to PurchaseService\"\n"
      "  stile gate run --again 'claude -p --continue {{refusal}}' -- claude -p \"Fix the build\"\n"
      "  stile gate run --level test -- codex exec \"Make the tests pass\"");
  OnCommand(app, [flags, context] { return RunUnderGate(*context, *flags); });
}

}  // namespace

void DeclareGate(CLI::App* app, CliContext* context) {
  app->require_subcommand(1);
  DeclareGateRun(app->add_subcommand("run", "Run a program, and judge what it changed"), context);
}

}  // namespace stile
