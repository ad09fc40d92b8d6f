// What an earlier run of a story left behind, read from its journal: the ground on which it is
// resumed or retried.
#ifndef STILE_RUNTIME_STORY_STORY_HISTORY_H_
#define STILE_RUNTIME_STORY_STORY_HISTORY_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/delivery/work_place.h"
#include "runtime/journal/run_store.h"
#include "runtime/story/story_runner.h"

namespace stile {

struct StoryHistory {
  struct Step {
    std::vector<std::string> run_ids;  // of all its attempts, oldest first
    bool finished = false;
    std::string answer;
    std::vector<std::string> changed;
    std::optional<RunResult::CertificateRef> certificate;
    int turns = 0;
    RunResult result;  // of all its attempts, once it is finished
  };

  std::string story_file;
  std::string story_sha256;
  std::string model;
  std::string base_url;
  std::string home;       // the workspace that was asked for
  std::string branch;     // "" : it did not get as far as its branch
  std::string workspace;  // where the work is; the one that was asked for while `branch` is ""
  std::string commit;     // "" : nothing was committed
  std::string retry_of;   // the id of the run whose story it began again; "" : none
  // Of the run itself, also where it retries another one; nullopt: of an older version.
  std::optional<BranchOrigin> origin;
  // FingerprintHooks before the first step of its last process; "" : it did not get that far.
  std::string hooks;
  bool hooks_unchanged = false;  // it came to its end, and they still were the same there
  bool finished = false;  // it has ended; steps of it may go on all the same, see StepToResume
  int64_t last_seq = 0;
  int first_step = 1;
  StoryOptions options;  // as given at its start, and the runs that it retries, directly or not
  std::map<int, Step> steps;

  // Number of the first step that has not finished; one more than the last when all have.
  int NextStep() const;
  // The same, where a step that has failed goes on.
  int StepToResume() const;
  // Options that take the steps before `first` as done and go on where their work lies.
  StoryOptions OptionsFrom(int first) const;
};

// What `options` keep of themselves in run_started, for ReadStoryHistory.
Json ToJson(const StoryOptions& options);

// Follows `retry_of` back to the first run, so that steps taken as done are known as well.
// FailedPrecondition when the run is no story; DataLoss when its journal is damaged. `secrets` as
// in ReadJournal.
absl::StatusOr<StoryHistory> ReadStoryHistory(const RunStore& store, const RunPaths& run,
                                              const SecretMasker* secrets = nullptr);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_HISTORY_H_
