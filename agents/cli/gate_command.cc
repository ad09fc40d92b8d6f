#include "agents/cli/gate_command.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/gate_hook.h"
#include "agents/cli/gate_session.h"
#include "agents/cli/run_console.h"
#include "runtime/base/shell_words.h"
#include "runtime/session/program_body.h"

namespace stile {
namespace {

struct GateRunFlags {
  AgentFlags agent;
  std::string again;
};

// A person at a terminal: Ctrl-Z would stop Stile, but not the program, which is in a session of
// its own; and a program that is killed may leave the terminal in its own mode.
class TerminalGuard {
 public:
  TerminalGuard() : is_tty_(tcgetattr(STDIN_FILENO, &mode_) == 0) {
    if (is_tty_) before_ = signal(SIGTSTP, SIG_IGN);
  }
  ~TerminalGuard() {
    if (!is_tty_) return;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_);
    signal(SIGTSTP, before_);
  }
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  termios mode_{};
  const bool is_tty_;
  void (*before_)(int) = SIG_DFL;
};

int RunUnderGate(const CliContext& context, const GateRunFlags& flags) {
  if (context.program.empty()) {
    return ReportRefusal(context, absl::InvalidArgumentError(
                                      "no program was given; put it behind --: stile gate run -- "
                                      "PROGRAM ARGS"));
  }
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  GatedProgram program;
  program.argv = context.program;
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
  const TerminalGuard terminal;
  return console.Finish((*agent)->RunProgram(program));
}

void DeclareGateRun(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<GateRunFlags>();
  app->add_option(
         "--again", flags->again,
         "After a refusal of the gate, run this; {{refusal}} stands for what has to change")
      ->type_name("COMMAND");
  DeclareGateFlags(app, &flags->agent);
  app->footer(
      "What stands behind -- is the program, such as another coding agent, and its arguments. "
      "Stile\n"
      "judges the files that it changes as it judges those of its own agents. The exit code is\n"
      "Stile's (0: the changed code builds); the program's own is in the result. The program is "
      "not\n"
      "in a sandbox.\n"
      "Stile splits --again into words by the quotes of a shell. No shell runs it: operators such "
      "as\n"
      "| and && are plain words. Refusal number gate.max_failures (5) ends the run with exit code "
      "3.\n"
      "If --again is missing, the first refusal does.\n"
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
  DeclareGateBegin(app->add_subcommand("begin", "Open a session for changes by others"), context);
  DeclareGateStatus(
      app->add_subcommand("status", "What changed in a session, and is not validated"), context);
  DeclareGateFinish(app->add_subcommand("finish", "Judge a session; 0: accepted, 3: refused"),
                    context);
  DeclareGateInstall(app->add_subcommand("install", "Make another agent ask the gate"), context);
  DeclareGateDoctor(app->add_subcommand("doctor", "Try the hooks that are installed"), context);
  DeclareGateHook(app->add_subcommand("hook", "What other agents call"), context);
}

}  // namespace stile
