#include "agents/api/run_resume.h"

#include "absl/strings/str_cat.h"
#include "agents/api/run_undo.h"
#include "runtime/base/status.h"

namespace stile {

absl::Status CheckCanResume(const RunPaths& run, const RunSummary& summary) {
  if (summary.outcome == "running") {
    return absl::FailedPreconditionError(
        absl::StrCat("another process is working on run ", run.id));
  }
  STILE_RETURN_IF_ERROR(CheckNotUndone(run));
  if (summary.outcome == "open") {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", run.id, " is open, and Stile does not do its work: change the ",
                     "files, then `stile gate finish ", run.id, "`"));
  }
  if (summary.outcome != "failed" && summary.outcome != "interrupted") {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.id, " has ended (", summary.outcome,
                     "), and there is nothing to go on with: start a new run, or take back what "
                     "it changed with `stile runs undo ",
                     run.id, "`"));
  }
  if (summary.reason == kNotBegun) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.id,
                     " ended before it began: nothing of it was done, and nothing of it is known; ",
                     "start it again"));
  }
  if (summary.kind == kCommandKind) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.id, " is a command of a workflow, which goes on as a whole: ",
                     "`stile runs resume ", run.id.substr(0, run.id.find('.')), "`"));
  }
  return absl::OkStatus();
}

}  // namespace stile
