#ifndef STILE_AGENTS_CLI_RUNS_SHOW_H_
#define STILE_AGENTS_CLI_RUNS_SHOW_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agents/api/runs.h"
#include "agents/cli/output.h"

namespace stile {

Json ToJson(const UndoReport& report);

// A line for each file, working tree and branch; "" when the report is empty. `folder` is where the
// run worked: a file that was not restored is lost where there is none in it, else kept.
std::string UndoText(const UndoReport& report, const std::string& folder);

// One line a run: id, age, outcome, turns, changed files, task.
std::string RunTable(const std::vector<RunSummary>& runs, absl::Time now, const Terminal& terminal);

// Summary, changed files, how it was undone, and timeline.
std::string DescribeRun(const RunRecord& record, const Terminal& terminal);
// The same as {run, changes, undone, certificate, edits, lookups, events}.
Json ToJson(const RunRecord& record);

// A patch made harmless for a terminal, with colours where it shows them.
std::string ColorDiff(absl::string_view diff, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_SHOW_H_
