#include "agents/cli/cycle_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/api/pipeline_inputs.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_run.h"

namespace stile {
namespace {

struct CycleFlags {
  AgentFlags agent;
  std::string number;
  std::string branch;
  std::string spec = "SPEC.md";
  std::string qa;  // "": Stile's own validation
  std::vector<std::string> paths = {"src/"};
  int iterations = 5;
  int auditors = 1;
  int reviews = 1;
  std::string report_file;
  bool schema = false;
};

int RunCycle(const CliContext& context, const CycleFlags& flags) {
  if (flags.schema) return PrintReportSchema(kCycleWorkflow);
  if (flags.number.empty())
    return UsageError("give the number of the cycle, for example: stile cycle run 05");
  auto inputs = CycleInputs({{"cycle", flags.number},
                             {"branch", flags.branch},
                             {"spec", flags.spec},
                             {"paths", flags.paths},
                             {"qa", flags.qa},
                             {"iterations", flags.iterations},
                             {"auditors", flags.auditors},
                             {"reviews", flags.reviews}});
  if (!inputs.ok()) return ReportStatus(inputs.status());
  WorkflowRequest request;
  request.needs_clean_tree = true;
  request.inputs = *std::move(inputs);
  return RunAndShow(context, flags.agent, kCycleWorkflow, request, flags.report_file);
}

}  // namespace

void DeclareCycle(CLI::App* app, CliContext* context) {
  app->require_subcommand(1);
  CLI::App* const run = app->add_subcommand("run", "Runs a cycle on a branch of its own");
  auto flags = std::make_shared<CycleFlags>();
  run->add_option("NN", flags->number,
                  "Its number or name (required); the branch is feature/cycle-NN")
      ->check([](const std::string& text) {
        const bool is_name = !text.empty() && text.find_first_not_of(
                                                  "0123456789abcdefghijklmnopqrstuvwxyz"
                                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == text.npos;
        return is_name && text[0] != '-' ? std::string()
                                         : "give a number or a name, like 05 or login";
      });
  run->add_option("--branch", flags->branch, "Another branch")->type_name("NAME");
  run->add_option("--spec", flags->spec, "What to implement (SPEC.md)")->type_name("FILE");
  run->add_option(
         "--qa", flags->qa,
         "Runs the tests and prints what came of them (Stile's own validation, level test)")
      ->type_name("COMMAND");
  run->add_option("--path", flags->paths, "May be changed and committed (src/); may be given often")
      ->type_name("PATH");
  run->add_option("--iterations", flags->iterations, "How often the coder runs at most (5)")
      ->check(CLI::Range(1, 100));
  run->add_option("--auditors", flags->auditors, "Auditors of the committee (1)")
      ->check(CLI::Range(1, 3));
  run->add_option("--reviews", flags->reviews, "Reviews of each auditor (1)")
      ->check(CLI::Range(1, 2));
  DeclareReportFlag(run, &flags->report_file);
  run->add_flag("--schema", flags->schema,
                "Prints the JSON Schema of the report, and does no more");
  DeclareAgentFlags(run, &flags->agent);
  DeclareAlongsideFlag(run, &flags->agent);
  run->footer(
      "An agent implements the specification, the tests run, auditors review; what fails goes "
      "back\n"
      "to the agent, and so does a change outside of --path, which is put back first. What they\n"
      "agreed on is one commit on the branch, with the certificates of the runs as its note\n"
      "(`stile certificate verify --commit HEAD`); after a failure the work is left there.\n"
      "A cycle that was killed goes on with `stile runs resume ID`.\n"
      "The report (--report, --schema) holds the result of the tests, the file with all that they\n"
      "printed, and every review.\n"
      "`stile workflow graph builtin:cycle` draws it.");
  OnCommand(run, [flags, context] { return RunCycle(*context, *flags); });
}

}  // namespace stile
