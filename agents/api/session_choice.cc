#include "agents/api/session_choice.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Unavailable: a process works on a session there.
absl::Status CheckNoneIsBusy(Runs* runs, const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all, runs->List(/*with_steps=*/false));
  for (const RunSummary& run : all) {
    const bool is_here = run.workspace == folder || IsWithin(folder, run.workspace);
    if (run.outcome != "running" || !is_here) continue;
    const absl::StatusOr<RunRecord> record = runs->Show(run.id);
    if (record.ok() && !record->events.empty() && IsExternal(record->events.front().data)) {
      return absl::UnavailableError(absl::StrCat("session ", run.id, " is being judged by process ",
                                                 run.pid, "; wait until that has ended"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpenSession> ChooseSession(Runs* runs, const std::string& id,
                                          const std::string& folder) {
  if (!id.empty()) {
    STILE_ASSIGN_OR_RETURN(const RunSummary run, runs->Find(id));
    STILE_ASSIGN_OR_RETURN(const RunRecord record, runs->Show(run.id));
    if (record.events.empty() || !IsExternal(record.events.front().data)) {
      return absl::InvalidArgumentError(
          absl::StrCat("run ", run.id, " is no session of `stile gate begin`"));
    }
    return OpenSession{run.id, run.workspace, run.started,
                       ExternalWorkOf(record.events.front().data)};
  }
  STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open, runs->OpenSessions(folder));
  if (open.empty()) STILE_RETURN_IF_ERROR(CheckNoneIsBusy(runs, folder));
  if (open.empty()) {
    return absl::NotFoundError(absl::StrCat("no session is open in ", DisplayPath(folder)));
  }
  if (open.size() == 1) return std::move(open.front());
  std::string list;
  for (const OpenSession& session : open) absl::StrAppend(&list, "\n  ", DescribeSession(session));
  return absl::InvalidArgumentError(absl::StrCat(
      "several sessions are open in ", DisplayPath(folder), "; give the id of one:", list));
}

absl::StatusOr<std::optional<OpenSession>> FindOverlapping(Runs* runs, const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open, runs->OpenSessions(""));
  for (OpenSession& session : open) {
    const std::string& other = session.workspace;
    if (other == folder || IsWithin(folder, other) || IsWithin(other, folder)) {
      return std::move(session);
    }
  }
  return std::nullopt;
}

}  // namespace stile
