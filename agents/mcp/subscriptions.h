// The subscriptions of one peer to resources, in both eras of the protocol.
#ifndef STILE_AGENTS_MCP_SUBSCRIPTIONS_H_
#define STILE_AGENTS_MCP_SUBSCRIPTIONS_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agents/mcp/mcp_requests.h"
#include "agents/mcp/resource_watch.h"

namespace stile {

// The stream for notifications that belong to no request: standard output, or the response to the
// peer's GET. Without a stream, updates wait for the next one. Updates of a stream that ended may
// have been lost, and go to the next one again. Thread-safe.
class NoticeStream {
 public:
  using Reply = McpRequest::Reply;

  // Sends what waits, and from now on all updates. An earlier stream ends: it gets null. The result
  // names the stream for Detach.
  int Attach(Reply stream);
  // The peer no longer reads the stream. Does nothing if there is another one by now.
  void Detach(int stream);
  // The stream ends, and no other one begins.
  void Close();
  bool is_attached();

  void SendUpdated(const std::string& uri);
  // The peer no longer wants updates of the resource.
  void Forget(const std::string& uri);

 private:
  std::mutex mutex_;
  Reply stream_;    // guarded by mutex_, as all below
  int number_ = 0;  // of the stream
  bool is_closed_ = false;
  std::set<std::string> sent_;     // resources, on this stream
  std::set<std::string> waiting_;  // resources, without a stream
};

// Thread-safe.
class Subscriptions {
 public:
  // Not owned; outlives this.
  explicit Subscriptions(ResourceWatch* watch) : watch_(watch) {}

  // resources/subscribe and resources/unsubscribe of peers with a handshake; errors as those of
  // ResourceWatch::Add.
  absl::Status Subscribe(const std::string& uri);
  void Unsubscribe(const std::string& uri);
  NoticeStream* notices() { return notices_.get(); }

  // subscriptions/listen of the stateless revision: acknowledges it, then sends updates as long as
  // the request is under way. Resources that do not exist are left out of the acknowledgement.
  // InvalidArgument: the parameters do not fit; ResourceExhausted as in ResourceWatch::Add.
  absl::Status Listen(const std::shared_ptr<McpRequest>& request);
  // No update of such requests is sent any more.
  void EndListening();
  // The result when the server ends such a request.
  static Json ListenResult(const McpRequest& request);

 private:
  class Listener;

  ResourceWatch* const watch_;
  const std::shared_ptr<NoticeStream> notices_ = std::make_shared<NoticeStream>();
  std::mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_;  // guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_SUBSCRIPTIONS_H_
