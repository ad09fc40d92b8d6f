// The requests of a peer that are under way.
#ifndef STILE_AGENTS_MCP_MCP_REQUESTS_H_
#define STILE_AGENTS_MCP_MCP_REQUESTS_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agents/mcp/job_queue.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/json.h"

namespace stile {

class OpenCall;  // agents/mcp/open_call.h

struct McpRequest {
  // Gets the answer, and before it the notifications and the requests to the peer that belong to
  // it; null in place of the answer when the request was cancelled. Thread-safe.
  using Reply = std::function<void(const Json& message)>;

  Json id;
  std::string method;
  Json params;
  bool is_stateless = false;  // the peer names its revision in every request
  std::string revision;
  std::string client;
  int log_severity = 8;  // messages below it are not sent
  Reply reply;
  Json capabilities;  // of the peer
  // Shared by the requests that wait for the same call of a tool.
  std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
  std::shared_ptr<OpenCall> open_call;  // the call that this request repeats; null: none
  std::atomic<bool> is_answered{false};
  std::atomic<bool> waits{false};     // it is, or was, in the queue
  std::atomic<bool> is_taken{false};  // from the queue, or by its cancellation
};

// Thread-safe.
class McpRequests {
 public:
  using Pending = std::shared_ptr<McpRequest>;

  // Why it cannot be added: a request with its id is under way, or too many are; "": it was.
  std::string Add(const Pending& request);
  // Gives the answer, unless the request was cancelled, and forgets it.
  void End(const Pending& request, const Json& answer);
  // Does `work`, which has to end the request, on the queue, unless it is cancelled before.
  void Enqueue(JobQueue* queue, const Pending& request, const std::string& lane,
               std::function<void()> work);
  // One whose work has not begun ends at once. Does nothing for an id that is not under way.
  void Cancel(const Json& id);
  void CancelAll();
  // Those of a method that are under way.
  std::vector<Pending> Of(absl::string_view method);
  // Waits until nothing is under way, for as long as `timeout`. False: something still is.
  bool WaitFor(absl::Duration timeout);

 private:
  void CancelOne(const Pending& request);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, Pending> pending_;  // by the text of the id; guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_MCP_REQUESTS_H_
