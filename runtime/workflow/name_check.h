// Names in expressions and templates that stand for nothing.
#ifndef STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_
#define STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// The names behind `outputs.`, `outputs_raw.`, `outputs_history.` and their kin, as members or in
// quotes, that are names of no step, in their order, each once.
std::vector<std::string> UnknownSteps(absl::string_view text, const Workflow& workflow);

// A line for each step, environment variable and input that an expression or template of the step
// names and that the file does not have ("exec names a step 'x' that there is not"). Inputs only
// where the file declares some: else callers may give any.
std::vector<std::string> UnknownNamesOf(const WorkflowStep& step, const Workflow& workflow);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_
