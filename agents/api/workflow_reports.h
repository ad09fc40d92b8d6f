// The reports of workflow runs (WorkflowReport), in the folders of the runs.
#ifndef STILE_AGENTS_API_WORKFLOW_REPORTS_H_
#define STILE_AGENTS_API_WORKFLOW_REPORTS_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/base/json.h"
#include "runtime/journal/run_store.h"

namespace stile {

absl::Status KeepReport(const RunPaths& run, const Json& report);

// Those of the workflow's earlier runs in the workspace, newest first; at most a hundred, and not
// all where they are very large. What cannot be read is left out.
Json EarlierReports(const RunStore& store, const std::string& workflow,
                    const std::string& workspace);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_REPORTS_H_
