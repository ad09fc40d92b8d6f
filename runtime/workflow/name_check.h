// Names in expressions, scripts and templates that stand for nothing.
#ifndef STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_
#define STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_

#include <set>
#include <string>
#include <vector>

#include "runtime/workflow/workflow.h"

namespace stile {

// A line for each name that nothing defines when the text is evaluated, "w.yaml:4: build if names
// …": variables, steps behind `outputs` and its kin, environment variables, inputs, and steps that
// run_js and goto_js return as constants. A script that asks for `typeof` a variable may name it.
//
// `inputs` are given by callers, besides those that the file declares. Of a file that declares none
// callers may give any: `inputs.x` is no finding there, and a variable of a template only where
// it is almost one that there is, or a step.
std::vector<std::string> CheckNames(const Workflow& workflow, const std::string& file,
                                    const std::set<std::string>& inputs);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_NAME_CHECK_H_
