// What the verbs of the command line share: how they are declared and what they are given.
#ifndef STILE_AGENTS_CLI_COMMAND_H_
#define STILE_AGENTS_CLI_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "runtime/process/process_runner.h"

namespace CLI {
class App;
}

namespace stile {

// What every verb may use: the global flags and the environment.
struct CliContext {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::string config_file;
  // `stile gate run -- PROGRAM ARGS`: what stands behind --, which belongs to another program.
  std::vector<std::string> program;
  Environment environment;
};

// Does the work of a verb once its arguments are known, and returns the exit code.
using CommandFunction = std::function<int()>;

// One verb. `declare` adds its arguments to `app` and tells there what runs: OnCommand(app, …).
// `context` outlives both, and is filled in when the function runs.
struct Verb {
  const char* name;
  const char* group;
  const char* help;
  void (*declare)(CLI::App* app, CliContext* context);
};

// `function` runs, after everything is parsed, when `app` is the command that was given.
void OnCommand(CLI::App* app, CommandFunction function);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_COMMAND_H_
