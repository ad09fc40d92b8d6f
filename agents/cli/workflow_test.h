#ifndef STILE_AGENTS_CLI_WORKFLOW_TEST_H_
#define STILE_AGENTS_CLI_WORKFLOW_TEST_H_

#include <string>
#include <vector>

#include "agents/cli/command.h"
#include "runtime/base/json.h"
#include "runtime/workflow/workflow_tests.h"

namespace stile {

// `stile workflow test`: declares its arguments, and what runs.
void DeclareWorkflowTest(CLI::App* app, CliContext* context);

// {file, workflow (added by the command), passed, failures, results: [{name, passed, ms, stages:
// [{name, runs, failures}]}]}: `failures` is the number of cases that failed, as gates and
// expressions read it.
Json TestReport(const std::string& file, const std::vector<WorkflowCaseResult>& results);
// The same as JUnit XML: one suite, a test case each.
std::string JunitReport(const std::string& file, const std::vector<WorkflowCaseResult>& results);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_WORKFLOW_TEST_H_
