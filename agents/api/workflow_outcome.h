// How a workflow ended.
#ifndef STILE_AGENTS_API_WORKFLOW_OUTCOME_H_
#define STILE_AGENTS_API_WORKFLOW_OUTCOME_H_

#include <string>

#include "runtime/agent_loop/run_result.h"
#include "runtime/workflow/workflow_runner.h"

namespace stile {

struct WorkflowOutcome {
  RunResult overall;
  WorkflowResult workflow;
  std::string run_id;
  std::string report_path;  // of WorkflowResult::report; "": there is none
};

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_OUTCOME_H_
