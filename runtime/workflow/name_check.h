// Names of steps in expressions and templates that no step has.
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

// "name: text" for each expression and template of the step that names a step there is not.
std::vector<std::string> UnknownStepsOf(const WorkflowStep& step, const Workflow& workflow);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_
