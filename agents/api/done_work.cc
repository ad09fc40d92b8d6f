#include "agents/api/done_work.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/delivery/work_place.h"
#include "runtime/session/killed_run.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

constexpr size_t kPathsInMessage = 10;

struct Expected {
  size_t step;  // index
  RecordedChange change;
};

// What has to be there, by path.
class Expectation {
 public:
  Expectation(const RunArchive& archive, const std::string& workspace)
      : archive_(archive), workspace_(workspace) {}

  absl::Status Add(size_t index, const RunOfStep& work, const RunPaths& run,
                   const RunSummary& summary) {
    if (summary.outcome == "interrupted") return AddKilled(run);
    const auto changes = ReadChanges(run);
    if (absl::IsNotFound(changes.status())) return AddKilled(run);  // the disk refused the record
    STILE_RETURN_IF_ERROR(changes.status());
    for (const RecordedChange& change : *changes) {
      if (work.is_done) {
        expected_[change.path] = {index, change};
      } else {
        expected_.erase(change.path);
      }
    }
    return absl::OkStatus();
  }

  // By step (an index): the paths that hold something else.
  std::map<size_t, std::vector<std::string>> Missing() const {
    std::map<size_t, std::vector<std::string>> missing;
    for (const auto& [path, expected] : expected_) {
      if (NoLongerHeld(workspace_, {expected.change}).empty()) continue;
      missing[expected.step].push_back(path);
    }
    return missing;
  }

 private:
  absl::Status AddKilled(const RunPaths& run) {
    const auto changes = ChangesOfKilledRun(archive_.store, archive_.runner, run);
    if (absl::IsNotFound(changes.status())) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(changes.status());
    for (const RecordedChange& change : *changes) expected_.erase(change.path);
    return absl::OkStatus();
  }

  const RunArchive& archive_;
  const std::string& workspace_;
  std::map<std::string, Expected> expected_;
};

}  // namespace

absl::StatusOr<std::optional<MissingWork>> FindMissingWork(const RunArchive& archive,
                                                           const std::string& workspace,
                                                           const std::vector<RunOfStep>& steps) {
  Expectation expectation(archive, workspace);
  for (size_t i = 0; i < steps.size(); ++i) {
    const absl::StatusOr<RunPaths> run = archive.store->Find(steps[i].run_id);
    if (!run.ok() || run->id != steps[i].run_id) continue;
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, archive.store->Summarize(*run));
    if (summary.reason == kNotBegun || summary.workspace != workspace) continue;
    if (summary.undone) return MissingWork{steps[i], true, {}};
    STILE_RETURN_IF_ERROR(expectation.Add(i, steps[i], *run, summary));
  }
  std::map<size_t, std::vector<std::string>> missing = expectation.Missing();
  if (missing.empty()) return std::nullopt;
  auto& [first, files] = *missing.begin();
  return MissingWork{steps[first], false, std::move(files)};
}

std::string DescribeMissing(const MissingWork& missing) {
  const std::string& step = missing.run.step;
  if (missing.was_undone) {
    return absl::StrCat(step, " was undone (run ", missing.run.run_id, ")");
  }
  std::string text =
      absl::StrCat(step, " is done, but these files no longer hold what it left there:");
  for (size_t i = 0; i < missing.files.size() && i < kPathsInMessage; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : " ", DisplayPath(missing.files[i]));
  }
  if (missing.files.size() > kPathsInMessage) {
    absl::StrAppend(&text, " and ", missing.files.size() - kPathsInMessage, " more");
  }
  return text;
}

}  // namespace stile
