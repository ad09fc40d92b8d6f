#include "agents/mcp/resource_watch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/mcp/resources.h"
#include "runtime/base/status.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(500);
constexpr size_t kMaxSubscriptions = 1000;
constexpr size_t kMaxOfOwner = 100;

}  // namespace

ResourceWatch::~ResourceWatch() {
  is_ending_.Cancel();
  if (thread_.joinable()) thread_.join();
}

absl::Status ResourceWatch::Add(const std::shared_ptr<void>& owner, const std::string& uri,
                                std::function<void()> on_change) {
  STILE_ASSIGN_OR_RETURN(const std::string run, RunOfResource(workspaces_, uri));
  std::string stamp;
  if (!run.empty()) {
    STILE_ASSIGN_OR_RETURN(stamp, workspaces_->runs()->Stamp(run));
  }
  const auto added = std::make_shared<Subscription>(
      Subscription{owner, uri, run, std::move(stamp), std::move(on_change)});
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& one) { return one->owner.expired(); });
  size_t of_owner = 0;
  for (auto& one : subscriptions_) {
    if (one->owner.lock() != owner) continue;
    ++of_owner;
    if (one->uri != uri) continue;
    added->stamp = one->stamp;  // what changed since the last check is still to be reported
    one = added;
    return absl::OkStatus();
  }
  if (of_owner >= kMaxOfOwner || subscriptions_.size() >= kMaxSubscriptions) {
    return absl::ResourceExhaustedError(
        of_owner >= kMaxOfOwner
            ? absl::StrCat("there are ", kMaxOfOwner, " subscriptions; end one of them")
            : absl::StrCat("the server has ", kMaxSubscriptions,
                           " subscriptions; try again later"));
  }
  if (!thread_.joinable()) thread_ = TryStartThread([this] { Watch(); });
  if (!thread_.joinable()) return absl::ResourceExhaustedError("no thread can be started");
  subscriptions_.push_back(added);
  return absl::OkStatus();
}

void ResourceWatch::Remove(const std::shared_ptr<void>& owner, const std::string& uri) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(subscriptions_,
                [&](const auto& one) { return one->uri == uri && one->owner.lock() == owner; });
}

void ResourceWatch::Watch() {
  while (!is_ending_.WaitFor(kPause)) Check();
}

void ResourceWatch::Check() {
  std::vector<std::shared_ptr<Subscription>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(subscriptions_, [](const auto& one) { return one->owner.expired(); });
    all = subscriptions_;
  }
  std::map<std::string, std::string> stamps;  // by run
  for (const auto& one : all) {
    if (one->run.empty()) continue;
    const auto [stamp, is_new] = stamps.try_emplace(one->run);
    // A run that was removed has changed once more.
    if (is_new) stamp->second = workspaces_->runs()->Stamp(one->run).value_or("");
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stamp->second == one->stamp) continue;
      one->stamp = stamp->second;
    }
    if (const auto owner = one->owner.lock()) one->on_change();
  }
}

}  // namespace stile
