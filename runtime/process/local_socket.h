// Requests and answers between processes of one machine, over a Unix socket: bytes until the side
// that sends closes its half, then the bytes of the answer.
#ifndef STILE_RUNTIME_PROCESS_LOCAL_SOCKET_H_
#define STILE_RUNTIME_PROCESS_LOCAL_SOCKET_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/cancellation.h"
#include "runtime/process/unique_fd.h"

namespace stile {

// Answers requests on threads of its own, one after the other. A request of more than
// kMaxLocalBytes, or one that does not arrive within 30 s, is dropped without an answer. Peers are
// not checked: any process that may write the socket can ask.
class LocalServer {
 public:
  // `cancellation` ends the work when the peer is gone, or the server ends. An answer may have
  // kMaxLocalBytes. Runs on a thread of the server.
  using Handler =
      std::function<std::string(const std::string& request, const Cancellation& cancellation)>;

  // Makes the socket `path` (absolute; any length) in an existing folder. AlreadyExists: there is
  // something at `path`; ResourceExhausted: the system has no more threads.
  static absl::StatusOr<std::unique_ptr<LocalServer>> Open(const std::string& path,
                                                           Handler handler);
  // Cancels the request that is being answered, waits for its handler, and removes the socket.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

 private:
  LocalServer(std::string path, UniqueFd listener, Handler handler)
      : path_(std::move(path)), listener_(std::move(listener)), handler_(std::move(handler)) {}
  void Serve();
  // The handler's answer; cancels it when the peer is gone or the server ends.
  std::string Answer(const std::string& request, int peer);

  const std::string path_;
  const UniqueFd listener_;
  const Handler handler_;
  Cancellation stop_;
  std::thread thread_;
};

inline constexpr size_t kMaxLocalBytes = size_t{64} << 20;

// Sends a request to the server at `path`, and waits for its answer. Unavailable: there is no
// server, or it ended without an answer; Cancelled. `cancellation` is not owned and may be null.
absl::StatusOr<std::string> AskLocalServer(const std::string& path, absl::string_view request,
                                           const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_LOCAL_SOCKET_H_
