#include "runtime/delivery/finished_work.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/delivery/delivery.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

WorkDelivery Refused(StopReason reason, std::string problem) {
  WorkDelivery refused;
  refused.reason = reason;
  refused.problem = std::move(problem);
  return refused;
}

WorkDelivery GitFailed(const absl::Status& status) {
  return Refused(StopReason::kInternal, absl::StrCat("git failed: ", status.message()));
}

// The first path that the globs do not allow; "" if there is none.
std::string FirstOutside(const std::vector<std::string>& globs,
                         const std::vector<std::string>& paths) {
  if (globs.empty()) return "";
  const auto stray = std::find_if(paths.begin(), paths.end(), [&globs](const std::string& path) {
    return std::none_of(globs.begin(), globs.end(),
                        [&path](const std::string& glob) { return GlobMatch(glob, path); });
  });
  return stray == paths.end() ? "" : *stray;
}

WorkDelivery Noted(const FinishedWork& work, const Delivery& made) {
  WorkDelivery delivered;
  delivered.commit = made.commit;
  const absl::Status noted =
      AttachCertificates(work.place->repository, made.commit, work.certificates);
  if (!noted.ok()) {
    delivered.warnings.push_back(
        absl::StrCat("the commit has no note with its certificates: ", noted.message()));
  }
  if (!made.warning.empty()) delivered.warnings.push_back(made.warning);
  delivered.text =
      absl::StrCat(Count(made.files, "file"), " committed as ", made.commit.substr(0, 12));
  return delivered;
}

// Why the tree does not pass by itself; the reason of `WorkDelivery` is kNone when it does.
WorkDelivery JudgeByItself(const FinishedWork& work, const std::string& tree, DeliveryHost* host) {
  const WorkPlace& place = *work.place;
  const absl::StatusOr<std::string> problem =
      ValidateCleanCheckout(place.repository, place.prefix, tree, work.scratch_dir, host);
  if (!problem.ok()) {
    return Refused(
        absl::IsCancelled(problem.status()) ? StopReason::kCancelled : StopReason::kInternal,
        absl::StrCat("the clean checkout failed: ", problem.status().message()));
  }
  if (problem->empty()) return {};
  return Refused(StopReason::kGateFailed,
                 absl::StrCat("what would be committed does not pass by itself (", *problem,
                              "); the workspace holds something that the commit would not"));
}

// Whether the files still hold what the steps left, of which their certificates speak.
WorkDelivery CompareWithAccepted(const FinishedWork& work, DeliveryHost* host) {
  std::map<std::string, RecordedChange> latest;
  for (const RecordedChange& change : work.accepted) latest[change.path] = change;
  for (const std::string& id : work.run_ids) {
    const absl::StatusOr<std::vector<RecordedChange>> changes = host->ChangesOf(id);
    if (absl::IsNotFound(changes.status())) continue;
    if (!changes.ok()) {
      return Refused(StopReason::kInternal,
                     absl::StrCat("what they changed is not known: ", changes.status().message()));
    }
    for (const RecordedChange& change : *changes) latest[change.path] = change;
  }
  std::vector<RecordedChange> accepted;
  for (auto& [path, change] : latest) accepted.push_back(std::move(change));
  const std::vector<std::string> strays = NoLongerHeld(work.place->workspace, accepted);
  if (strays.empty()) return {};
  return Refused(StopReason::kGateFailed,
                 absl::StrCat(DisplayPath(strays.front()), kChangedSince, "."));
}

WorkDelivery CommitWork(const FinishedWork& work, std::vector<std::string> paths,
                        DeliveryHost* host) {
  const Repository& repository = work.place->repository;
  const absl::StatusOr<std::string> head = repository.Head();
  const absl::StatusOr<std::string> tree = head.ok() ? repository.WriteTree(*head, paths) : head;
  if (!tree.ok()) return GitFailed(tree.status());
  // git makes no working tree of nothing.
  const bool by_itself = work.clean_checkout && !head->empty();
  WorkDelivery judged =
      by_itself ? JudgeByItself(work, *tree, host) : CompareWithAccepted(work, host);
  if (judged.reason != StopReason::kNone) return judged;
  const Delivery made =
      Deliver(work.place->repository, {std::move(paths), *tree, work.message, work.hooks});
  return made.commit.empty() ? Refused(made.reason, made.problem) : Noted(work, made);
}

}  // namespace

WorkDelivery DeliverWork(const FinishedWork& work, DeliveryHost* host,
                         const Cancellation* cancellation) {
  const WorkPlace& place = *work.place;
  std::vector<std::string> paths;
  for (const std::string& path : work.changed) paths.push_back(place.prefix + path);
  if (work.resumed) {
    // A commit that the killed process made is checked as that process would have checked it.
    DeliveredRequest request{paths, work.run_id, place.workspace, {}};
    if (work.all_done_before) request.accepted = work.accepted;
    const Delivery found = FindDelivered(place.repository, request);
    if (!found.problem.empty()) return Refused(found.reason, found.problem);
    if (!found.commit.empty()) return Noted(work, found);
  }
  absl::StatusOr<std::vector<std::string>> uncommitted = UncommittedOf(place.repository, paths);
  if (!uncommitted.ok()) return GitFailed(uncommitted.status());
  WorkDelivery none;
  if (uncommitted->empty()) {
    none.text = "nothing is left to commit";
    return none;
  }
  if (!work.commit) {
    none.text =
        absl::StrCat(Count(uncommitted->size(), "file"), " changed, not committed as asked");
    return none;
  }
  if (const std::string stray = FirstOutside(work.allowed, work.changed); !stray.empty()) {
    return Refused(
        StopReason::kExpectationsUnmet,
        absl::StrCat(DisplayPath(stray), " was changed, which deliver.paths does not allow."));
  }
  if (cancellation != nullptr && cancellation->cancelled()) {
    return Refused(StopReason::kCancelled, "the run was cancelled before the commit.");
  }
  return CommitWork(work, *std::move(uncommitted), host);
}

}  // namespace stile
