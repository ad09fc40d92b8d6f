#ifndef STILE_AGENTS_CLI_RUNS_SHOW_H_
#define STILE_AGENTS_CLI_RUNS_SHOW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agents/api/run_undo.h"
#include "agents/cli/output.h"
#include "runtime/journal/run_store.h"

namespace stile {

Json ToJson(const RunSummary& run);
Json ToJson(const UndoReport& report);

// The folder in which a run worked: of a story, the working tree that has its branch.
std::string WorkFolder(const RunStore& store, const RunSummary& run, const RunPaths& paths);

// A line for each file, working tree and branch; "" when the report is empty. `folder` is where the
// run worked: a file that was not restored is lost where there is none in it, else kept.
std::string UndoText(const UndoReport& report, const std::string& folder);

// One line a run: id, age, outcome, turns, changed files, task.
std::string RunTable(const std::vector<RunSummary>& runs, absl::Time now, const Terminal& terminal);

// Summary, changed files, how it was undone, and timeline; with `json` one object {run, changes,
// undone, certificate, events}.
absl::StatusOr<std::string> DescribeRun(const RunArchive& archive, const RunPaths& run, bool json,
                                        const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_SHOW_H_
