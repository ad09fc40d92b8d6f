// One run of a story from its file to its result: begun, resumed or retried.
#ifndef STILE_AGENTS_API_STORY_HOST_H_
#define STILE_AGENTS_API_STORY_HOST_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/api/run_undo.h"
#include "agents/api/session_context.h"
#include "runtime/event/event.h"
#include "runtime/journal/run_store.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/story/story_history.h"
#include "runtime/story/story_runner.h"
#include "runtime/workspace/edit_transaction.h"

namespace stile {

// A story has a folder and a journal of its own; its steps have theirs. For one call of Run, Resume
// or Retry. The caller holds the claim of the workspace (workspace_claim.h) and has checked that
// the configuration can be used.
class StoryHost : private StepRunner {
 public:
  // `context` is not owned.
  StoryHost(const SessionContext* context, std::string workspace);
  ~StoryHost() override;

  // See Agent::RunStory.
  absl::StatusOr<StoryResult> Run(const std::string& story_file, const StoryOptions& options);
  // Goes on under the same id: a step that was interrupted is continued, not repeated.
  absl::StatusOr<StoryResult> Resume(const RunPaths& run);
  // See Agent::RetryStory.
  absl::StatusOr<StoryResult> Retry(const RunPaths& earlier, int first_step);

 private:
  absl::StatusOr<RunResult> RunStep(const StepTask& task, const EventSink& sink) override;
  absl::StatusOr<RunResult> RunMerge(const MergeTask& task, const EventSink& sink) override;
  absl::Status ShareDependencies(const std::string& workspace, const std::string& folder) override;
  std::optional<std::string> WorkspaceOf(const std::string& run_id) override;
  absl::Status ForgetWorkspace(const std::string& workspace) override;
  absl::StatusOr<ValidationReport> ValidateAll(const std::string& workspace, Level level) override;
  absl::StatusOr<ValidationReport> ValidateTree(const CleanCheckout& checkout) override;
  absl::StatusOr<std::vector<RecordedChange>> ChangesOf(const std::string& run_id) override;
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository& repository) override;

  // Runs the steps. `held`: who holds the lock of the run may write its folder.
  absl::StatusOr<StoryResult> Perform(const RunPaths& run, const RunLock& held, const Story& story,
                                      const std::string& workspace, const StoryOptions& options,
                                      const Event& opening);
  // For undo. Where there is no repository, the story says so when it prepares its place.
  Json GroundOf(const Story& story, const std::string& branch, const std::string& workspace) const;
  // Before the files are looked at: puts back what a crash left half-written.
  absl::Status Recover(const std::string& workspace);
  RunArchive Archive() const;
  const std::string& Model() const;

  const SessionContext& context_;
  const AgentOptions& options_;
  const std::string workspace_;
  Restored restored_;     // by Recover, and not yet told
  std::string model_;     // what the story was begun with, for steps whose options choose none
  std::string base_url_;  // the same
  std::mutex git_sandboxes_mutex_;
  // One a repository, for as long as its programs may run in it; by git directory.
  std::map<std::string, std::unique_ptr<RunSandbox>> git_sandboxes_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_STORY_HOST_H_
