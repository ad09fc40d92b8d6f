// One call of a tool while it works: how it is answered, and what it asks its peer meanwhile.
#ifndef STILE_AGENTS_MCP_OPEN_CALL_H_
#define STILE_AGENTS_MCP_OPEN_CALL_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agents/mcp/mcp_requests.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/base/json.h"

namespace stile {

// For a peer that accepts no requests, what it is asked, as `inputRequests` has it under `key`.
Json InputRequests(const std::string& key, const std::string& method, const Json& params);
// What such a peer answered in `inputResponses` under `key`. Errors as PeerQuestions::Ask.
absl::StatusOr<Json> InputResponse(const Json& responses, const std::string& key);

// How long a question to a peer waits: a person may have to agree.
inline constexpr absl::Duration kPeerPatience = absl::Minutes(10);

// Lets `call` ask a peer with the capabilities by `ask`, which takes a method and its params.
void LetAsk(
    const Json& capabilities,
    const std::function<absl::StatusOr<Json>(const std::string& method, const Json& params)>& ask,
    McpCall* call);

// The requests of this server to one peer with a handshake. Thread-safe.
class PeerQuestions {
 public:
  // Sends a request by `send` and waits for its answer, for ten minutes at most. PermissionDenied:
  // the user of the peer refused; Unavailable: another error of the peer; Cancelled;
  // DeadlineExceeded.
  absl::StatusOr<Json> Ask(const std::string& method, const Json& params,
                           const McpRequest::Reply& send, const Cancellation& cancellation);
  // Takes the answer to one of them; ignores other messages.
  void TakeAnswer(const Json& message);

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  uint64_t last_ = 0;                    // guarded by mutex_
  std::map<std::string, Json> answers_;  // null: still awaited; guarded by mutex_
};

class OpenCalls;

// The call of a tool. A peer without a handshake accepts no requests: AskPeer answers the peer's
// request with `input_required`, and the call waits, at most ten minutes, until the peer repeats
// the request with `inputResponses` (basic/patterns/mrtr of revision 2026-07-28). Thread-safe.
class OpenCall : public std::enable_shared_from_this<OpenCall> {
 public:
  // A request that waits for the result of the call, and the function that answers it.
  struct Waiting {
    McpRequests::Pending request;
    std::function<void(const McpRequests::Pending& request, Json result)> answer;
  };

  // `questions`: of a peer with a handshake, else null. Nothing is owned; both outlive the call.
  OpenCall(Waiting waiting, PeerQuestions* questions, OpenCalls* calls)
      : cancellation_(waiting.request->cancellation),
        questions_(questions),
        calls_(*calls),
        waiting_(std::move(waiting)) {}

  // Ends the work; the same for all requests that wait for it.
  const std::shared_ptr<Cancellation>& cancellation() const { return cancellation_; }

  // Notifications, if the peer wants them. Dropped while no request waits.
  void Progress(const std::string& text);
  void Log(const std::string& level, const std::string& text);
  // Errors as PeerQuestions::Ask. Blocks.
  absl::StatusOr<Json> AskPeer(const std::string& method, const Json& params);
  // The end of the call. Dropped if no request waits.
  void Answer(Json result);

  // A peer repeats the request with its answers. False: the call does not wait for them.
  bool GoOn(Waiting waiting, const Json& responses);

 private:
  absl::StatusOr<Json> AskWithoutHandshake(const std::string& method, const Json& params);

  const std::shared_ptr<Cancellation> cancellation_;
  PeerQuestions* const questions_;
  OpenCalls& calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Waiting> waiting_;  // guarded by mutex_, as all below
  std::string state_;               // the handle that peers send back; "": none yet
  bool is_asking_ = false;
  Json responses_;
  int sent_ = 0;  // notifications of progress
};

// The calls that wait for answers of peers without a handshake, by handle. Thread-safe.
class OpenCalls {
 public:
  // Gives the handle: 128 random bits, so that no other peer can name the call.
  std::string Add(std::shared_ptr<OpenCall> call);
  void Remove(const std::string& state);
  // Null: there is none.
  std::shared_ptr<OpenCall> Find(const std::string& state);
  // For the end of the server: also cancels calls that begin to wait later.
  void CancelAll();

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<OpenCall>> calls_;  // guarded by mutex_
  bool is_ending_ = false;                                  // guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_OPEN_CALL_H_
