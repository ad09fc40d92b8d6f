// Workflow files and their tests, read and checked without running them.
#ifndef STILE_AGENTS_API_WORKFLOW_FILES_H_
#define STILE_AGENTS_API_WORKFLOW_FILES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workflow/workflow_tests.h"

namespace stile {

// The workflow in `file`, or of a name behind kBuiltinPrefix. InvalidArgument with a line for each
// error, and its place.
absl::StatusOr<Workflow> ReadWorkflow(const std::string& file);

// A file of tests, and the workflow that it names: itself, where it names none.
struct TestedWorkflow {
  std::string path;  // of the workflow
  Workflow workflow;
  WorkflowTests tests;
};
// InvalidArgument with the errors of the workflow and the first one of the tests.
absl::StatusOr<TestedWorkflow> ReadWorkflowTests(const std::string& file);

// Names of the inputs that the cases give.
std::set<std::string> InputsOf(const WorkflowTests& tests);

// What can be said of a workflow without running it.
struct LintedWorkflow {
  Workflow workflow;
  absl::Status status;  // of the workflow and of its tests, see ReadWorkflowTests
  // "file:line: …": of the workflow, of its names (CheckNames), and one for each profile and each
  // nested workflow that a step names and that cannot be read. Names with templates are left out.
  std::vector<std::string> warnings;
};
LintedWorkflow LintWorkflow(const std::string& file);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_FILES_H_
