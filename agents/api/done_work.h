// Whether the files still hold what finished steps of a story or a workflow left: what is gone
// must not count as done.
#ifndef STILE_AGENTS_API_DONE_WORK_H_
#define STILE_AGENTS_API_DONE_WORK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/api/run_undo.h"

namespace stile {

// The run of a step, or of one of its attempts.
struct RunOfStep {
  std::string run_id;
  std::string step;      // for people: "step 2"
  bool is_done = false;  // else it goes on or is done again, and what it changed may change further
};

// A step that is done and whose work is not there.
struct MissingWork {
  RunOfStep run;
  bool was_undone = false;         // by `runs undo`
  std::vector<std::string> files;  // paths relative to the workspace; none where it was undone
};

// Compares the files of `workspace` with what the runs left there, each path with the last run that
// changed it; runs that worked elsewhere, or that the store does not know, are passed over. `steps`
// in the order in which they worked. nullopt: all of it is there. Gives the first step whose work
// is not.
absl::StatusOr<std::optional<MissingWork>> FindMissingWork(const RunArchive& archive,
                                                           const std::string& workspace,
                                                           const std::vector<RunOfStep>& steps);

// "step 2 is done, but its work is not there any more: a.py, b.py": for people, without a full
// stop.
std::string DescribeMissing(const MissingWork& missing);

}  // namespace stile

#endif  // STILE_AGENTS_API_DONE_WORK_H_
