// Delivers the work of a workflow: makes its branch, and commits the validated files with the
// certificates of the workflow's runs. Two tools that only steps of workflows have.
#ifndef STILE_AGENTS_API_WORKFLOW_DELIVERY_H_
#define STILE_AGENTS_API_WORKFLOW_DELIVERY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/api/session_context.h"
#include "runtime/git/repository.h"
#include "runtime/journal/run_changes.h"
#include "runtime/workflow/step_executor.h"

namespace stile {

// FailedPrecondition when the workspace has uncommitted changes ("Uncommitted changes: a.py, b.py;
// commit or stash them"), lies in no git repository, or in one without a commit.
absl::Status CheckCleanTree(const SessionContext& context, const std::string& workspace);

// Not thread-safe. Blocks while git runs.
class WorkflowDelivery {
 public:
  // `context` is not owned. `run_id`: of the workflow. `wrapper`: for what the repository names.
  WorkflowDelivery(const SessionContext* context, std::string workspace, std::string run_id,
                   ProgramWrapper wrapper)
      : context_(*context),
        workspace_(std::move(workspace)),
        run_id_(std::move(run_id)),
        wrapper_(std::move(wrapper)) {}

  static bool IsTool(absl::string_view name);

  // deliver.branch {name}: switches to the branch, and makes it where there is none of the name.
  // Gives {branch, head, created, hooks}.
  //
  // deliver.commit {message, tree, branch, head, hooks}: commits all that differs from HEAD in the
  // workspace, if git's id of that is `tree` and the last three are as deliver.branch gave them.
  // The message gets the trailers of a story's commit, the commit the note with its certificates.
  // A commit that a hook changed is taken back. Gives {commit, files, certificates, warning}. Done
  // again after a kill, it finds the commit that it made.
  //
  // Bound by the permissions of git.branch and git.commit. What they refuse is a reply; Cancelled
  // and Internal are statuses, and others mean what they say.
  absl::StatusOr<StepReply> Use(absl::string_view tool, const Json& arguments);

 private:
  struct Certified {
    RunResult::CertificateRef reference;
    std::string tree;
    std::vector<RecordedChange> changes;
  };
  absl::StatusOr<StepReply> Branch(const Json& arguments);
  absl::StatusOr<StepReply> Commit(const Json& arguments);
  absl::StatusOr<StepReply> MakeCommit(const Repository& repository, const Json& arguments);
  // That of an earlier process.
  absl::StatusOr<StepReply> FindCommit(const Repository& repository, const std::string& head,
                                       const Json& arguments);
  StepReply Note(const Repository& repository, const std::string& commit, size_t files,
                 const std::vector<RunResult::CertificateRef>& certificates);
  absl::StatusOr<std::vector<Certified>> CertificatesOfRuns();
  // Those that hold for a commit of the tree, which is the present content.
  absl::StatusOr<std::vector<RunResult::CertificateRef>> CertificatesFor(const std::string& tree);

  const SessionContext& context_;
  const std::string workspace_;
  const std::string run_id_;
  const ProgramWrapper wrapper_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_DELIVERY_H_
