// The reports of workflow runs (WorkflowReport), in the folders of the runs.
#ifndef STILE_AGENTS_API_WORKFLOW_REPORTS_H_
#define STILE_AGENTS_API_WORKFLOW_REPORTS_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/base/json.h"
#include "runtime/journal/run_store.h"

namespace stile {

absl::Status KeepReport(const RunPaths& run, const Json& report);

// Of the workflow's earlier runs in the workspace but `run_id`, newest first, at most a hundred:
// numbers, truths and short texts of each report. What cannot be read is left out.
Json EarlierReports(const RunStore& store, const std::string& workflow,
                    const std::string& workspace, const std::string& run_id);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_REPORTS_H_
