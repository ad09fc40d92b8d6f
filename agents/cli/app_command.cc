#include "agents/cli/app_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/pipeline_inputs.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_run.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct AppFlags {
  AgentFlags agent;
  std::string task;
  std::string source;
  std::vector<std::string> references;
  std::string validate;
  std::string lint;
  std::string fail_on = "^\\s*FAIL(ED|URE)?:";
  std::string transpile;
  std::vector<std::string> expect;
  int min_files = 0;
  std::vector<std::string> ignore_output;
  int transpile_budget_ms = 500;
  int transpile_timeout_ms = 60'000;
  int attempts = 3;
  bool stop_on_no_improvement = false;
  std::string smoke = "L1";
  bool no_network = false;
  std::string install;
  std::string build;
  std::string serve;
  int serve_port = 0;
  int serve_timeout_s = 30;
  std::string probe;
  std::string out = "output";
  bool replace = false;
  std::string run_instructions;
  std::string complexity;
  std::string tool_version;
  std::string report_file;
  bool schema = false;
};

absl::StatusOr<Json> InputsOf(const AppFlags& flags) {
  if (flags.source.empty() || flags.validate.empty() || flags.transpile.empty()) {
    return absl::InvalidArgumentError(
        "--source, --validate and --transpile are required; see 'stile app --help'");
  }
  if (!flags.probe.empty() && flags.smoke != "L2" && flags.smoke != "L3") {
    return absl::InvalidArgumentError("--probe asks a server: give --smoke L2 or L3");
  }
  auto inputs = AppInputs({{"task", flags.task},
                           {"source", flags.source},
                           {"references", flags.references},
                           {"validate", flags.validate},
                           {"lint", flags.lint},
                           {"fail_on", flags.fail_on},
                           {"transpile", flags.transpile},
                           {"expect", flags.expect},
                           {"min_files", flags.min_files},
                           {"ignore_output", flags.ignore_output},
                           {"transpile_budget_ms", flags.transpile_budget_ms},
                           {"transpile_timeout_ms", flags.transpile_timeout_ms},
                           {"attempts", flags.attempts},
                           {"stop_on_no_improvement", flags.stop_on_no_improvement},
                           {"smoke", flags.smoke},
                           {"network", flags.no_network ? "cached" : "packages"},
                           {"install", flags.install},
                           {"build", flags.build},
                           {"serve", flags.serve},
                           {"serve_port", flags.serve_port},
                           {"serve_timeout_s", flags.serve_timeout_s},
                           {"probe", flags.probe},
                           {"out", flags.out},
                           {"replace", flags.replace},
                           {"run_instructions", flags.run_instructions},
                           {"complexity", flags.complexity},
                           {"tool_version", flags.tool_version}});
  // Errors begin with the name of an input, which is that of a flag.
  if (inputs.ok()) return inputs;
  return absl::Status(inputs.status().code(), absl::StrCat("--", inputs.status().message()));
}

int RunApp(const CliContext& context, const AppFlags& flags) {
  if (flags.schema) return PrintReportSchema(kAppWorkflow);
  auto inputs = InputsOf(flags);
  if (!inputs.ok()) return ReportStatus(inputs.status());
  WorkflowRequest request;
  request.inputs = *std::move(inputs);
  if (!flags.report_file.empty()) {
    std::error_code error;
    const std::string workspace = flags.agent.workspace.empty() ? "." : flags.agent.workspace;
    const auto resolved = [&](const std::string& path) {
      return std::filesystem::weakly_canonical(path, error).string();
    };
    const std::string report = resolved(flags.report_file);
    if (report == resolved(JoinPath(workspace, flags.source))) {
      return UsageError("--report and --source are one file");
    }
    if (absl::StartsWith(report, absl::StrCat(resolved(JoinPath(workspace, flags.out)), "/"))) {
      return UsageError("--report lies in the folder that is delivered");
    }
  }
  return RunAndShow(context, flags.agent, kAppWorkflow, request, flags.report_file);
}

void DeclareTools(CLI::App* app, AppFlags* flags) {
  app->add_option("-t,--task", flags->task, "What to write; without it the source exists already")
      ->type_name("TEXT");
  app->add_option("--source", flags->source, "The file that is written, validated and transpiled")
      ->type_name("FILE");
  app->add_option(
         "--reference", flags->references,
         "A file, or a resource of an MCP server, that explains the language to the agent; "
         "may be given often")
      ->type_name("FILE|SERVER:URI");
  app->add_option("--validate", flags->validate, "Prints what is wrong with $SOURCE")
      ->type_name("COMMAND");
  app->add_option("--lint", flags->lint, "Prints hints; those of level error are repaired too")
      ->type_name("COMMAND");
  app->add_option("--fail-on", flags->fail_on,
                  "What they print is an error if it matches, whatever their status; "
                  "(^\\s*FAIL(ED|URE)?:)")
      ->type_name("REGEX");
  app->add_option("--transpile", flags->transpile, "Makes files of $SOURCE, in the folder $OUT")
      ->type_name("COMMAND");
  app->add_option("--expect", flags->expect, "A file that has to come of it; may be given often")
      ->type_name("FILE");
  app->add_option("--transpile-budget-ms", flags->transpile_budget_ms,
                  "More is a warning (500); the time of --tool-version is subtracted")
      ->check(CLI::Range(1, 600'000));
  app->add_option("--transpile-timeout-ms", flags->transpile_timeout_ms,
                  "A longer run ends with an error (60000)")
      ->check(CLI::Range(1, 600'000));
  app->add_option("--min-files", flags->min_files,
                  "Minimum number of files that it must write (default 1, or 6 for a client with a "
                  "server)")
      ->check(CLI::Range(1, 100'000));
  app->add_option("--ignore-output", flags->ignore_output,
                  "Files that may differ between two runs of it, such as those that hold times; a "
                  "name, or a path with * and **; may be given often")
      ->type_name("GLOB");
}

void DeclareSmokeTest(CLI::App* app, AppFlags* flags) {
  app->add_option("--smoke", flags->smoke,
                  "How far it is tried: none, L0 install, L1 and build, L2 and start, L3 and a "
                  "page (L1)")
      ->check(CLI::IsMember({"none", "L0", "L1", "L2", "L3"}));
  app->add_flag("--no-network", flags->no_network,
                "Install and build with what the package caches hold");
  app->add_option("--install", flags->install,
                  "In place of npm ci, npm install, pip install, cargo fetch, dotnet restore")
      ->type_name("COMMAND");
  app->add_option("--build", flags->build, "In place of npm run build, cargo build, dotnet build")
      ->type_name("COMMAND");
  app->add_option("--serve", flags->serve, "In place of npm start; it listens at $PORT")
      ->type_name("COMMAND");
  app->add_option("--serve-port", flags->serve_port,
                  "The port at which it listens whatever $PORT says")
      ->check(CLI::Range(1, 65'535));
  app->add_option("--serve-timeout", flags->serve_timeout_s,
                  "How many seconds it has to answer (30)")
      ->check(CLI::Range(1, 240));
  app->add_option(
         "--probe", flags->probe,
         "Tests the server at $URL, in its network, for 200 s at most; it fails if the exit "
         "status is not 0")
      ->type_name("COMMAND");
}

}  // namespace

void DeclareApp(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<AppFlags>();
  DeclareTools(app, flags.get());
  app->add_option("--attempts", flags->attempts, "How often the source is repaired at most (3)")
      ->check(CLI::Range(0, 100));
  app->add_flag("--stop-on-no-improvement", flags->stop_on_no_improvement,
                "Stop after a repair that left as many errors");
  DeclareSmokeTest(app, flags.get());
  app->add_option("--out", flags->out, "Where it is delivered, in the workspace (output)")
      ->type_name("FOLDER");
  app->add_flag("--replace", flags->replace, "Overwrite what is there already");
  app->add_option("--run-instructions", flags->run_instructions, "For the report")
      ->type_name("TEXT");
  app->add_option("--complexity", flags->complexity,
                  "simple, medium or complex, for success rates (by the size of the source)")
      ->check(CLI::IsMember({"simple", "medium", "complex"}));
  app->add_option("--tool-version", flags->tool_version,
                  "Prints the tools' version, for the report")
      ->type_name("COMMAND");
  DeclareReportFlag(app, &flags->report_file);
  app->add_flag("--schema", flags->schema,
                "Prints the JSON Schema of the report, and does no more");
  DeclareAgentFlags(app, &flags->agent);
  DeclareAlongsideFlag(app, &flags->agent);
  app->footer(
      "Tools print {\"errors\": [{\"message\", \"line\"?, \"code\"?}], \"warnings\": []}, "
      "{\"hints\": [{\"level\",\n"
      "\"message\"}]}, {\"diagnostics\": [{\"severity\", \"message\", \"location\": {\"line\", "
      "\"col\"}, \"fix\":\n"
      "{\"description\", \"suggestion\"}}]}, or what compilers print. Nothing is delivered unless "
      "every stage passed "
      "and\n"
      "two runs of the transpiler gave the same files. What each repair changed, and the logs, "
      "are\n"
      "with the report. Installing and building reach the network and the package caches as "
      "validators\n"
      "do. The server has a network of its own, so that its port is free; --probe runs in it, "
      "too.\n"
      "`stile workflow graph builtin:app-loop` draws it; `stile runs resume ID` goes on.\n"
      "A COMMAND can call a tool of an MCP server: stile mcp call SERVER.TOOL source=@$SOURCE. "
      "For\n"
      "--transpile add --files $OUT.");
  OnCommand(app, [flags, context] { return RunApp(*context, *flags); });
}

}  // namespace stile
