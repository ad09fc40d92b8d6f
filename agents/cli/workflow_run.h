#ifndef STILE_AGENTS_CLI_WORKFLOW_RUN_H_
#define STILE_AGENTS_CLI_WORKFLOW_RUN_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/command.h"
#include "agents/cli/output.h"

namespace stile {

struct WorkflowRunFlags {
  AgentFlags agent;
  std::string file;
  std::vector<std::string> inputs;  // "name=value"
  std::string event = "manual";
  std::string report_file;  // "": only the run's own
};

// `stile workflow run`: declares its arguments, and what runs.
void DeclareWorkflowRun(CLI::App* app, CliContext* context);

struct ShownWorkflow {
  int exit_code = 0;
  std::optional<WorkflowOutcome> outcome;  // nullopt: it could not begin
};
// Runs the workflow and shows it as the flags ask for.
ShownWorkflow RunAndShow(const CliContext& context, const AgentFlags& flags,
                         const std::string& file, const WorkflowRequest& request);

// The same, and writes its report to `report_file` ("": nowhere
// else than to its folder), and returns the exit code.
int RunAndShow(const CliContext& context, const AgentFlags& flags, const std::string& file,
               const WorkflowRequest& request, const std::string& report_file);

// --report for verbs whose workflow makes one.
void DeclareReportFlag(CLI::App* app, std::string* report_file);

// Prints the JSON Schema that the workflow's report fits.
int PrintReportSchema(const std::string& file);

// {"name": "value"}; a value that is JSON but no text stays what it is. InvalidArgument for what
// has no '='.
absl::StatusOr<Json> ParseInputs(const std::vector<std::string>& inputs);

// A line a step: how it ended and how often it ran.
std::string FormatSteps(const WorkflowResult& result, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_WORKFLOW_RUN_H_
