// Notices that resources change, for peers that subscribed to them.
#ifndef STILE_AGENTS_MCP_RESOURCE_WATCH_H_
#define STILE_AGENTS_MCP_RESOURCE_WATCH_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "agents/mcp/workspaces.h"
#include "runtime/base/cancellation.h"

namespace stile {

// Compares the stamp of each run twice a second (see Runs::Stamp), on a thread that starts with the
// first subscription. Thread-safe.
class ResourceWatch {
 public:
  // Not owned; outlives this.
  explicit ResourceWatch(McpWorkspaces* workspaces) : workspaces_(workspaces) {}
  ~ResourceWatch();
  ResourceWatch(const ResourceWatch&) = delete;
  ResourceWatch& operator=(const ResourceWatch&) = delete;

  // Calls `on_change` on the thread of this object after changes of the resource, as long as
  // `owner` lives. Changes between two checks are reported once. A second subscription of an owner
  // to a resource replaces the first. NotFound: no such resource; ResourceExhausted: the owner has
  // 100 subscriptions, or the server 1,000.
  absl::Status Add(const std::shared_ptr<void>& owner, const std::string& uri,
                   std::function<void()> on_change);
  // A call of `on_change` may still be under way afterwards.
  void Remove(const std::shared_ptr<void>& owner, const std::string& uri);

 private:
  struct Subscription {
    std::weak_ptr<void> owner;
    std::string uri;
    std::string run;    // "": of none
    std::string stamp;  // of the run; guarded by mutex_
    std::function<void()> on_change;
  };

  void Watch();
  void Check();

  McpWorkspaces* const workspaces_;
  Cancellation is_ending_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Subscription>> subscriptions_;  // guarded by mutex_
  std::thread thread_;                                        // likewise
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_RESOURCE_WATCH_H_
