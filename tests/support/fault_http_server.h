#ifndef STILE_TESTS_SUPPORT_FAULT_HTTP_SERVER_H_
#define STILE_TESTS_SUPPORT_FAULT_HTTP_SERVER_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace stile {

// How the server treats one request.
struct FaultReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> pieces;    // each is sent at once, as one chunk of the body
  size_t filler_bytes = 0;            // after the pieces, this many 'x'
  bool stall_before_headers = false;  // sends nothing until Release(), or the client hangs up
  bool stall_at_end = false;          // the same, before the body is ended
  bool break_off = false;             // closes the connection instead of ending the body
  std::string raw;  // instead of all that: these bytes, then the connection is closed
};

FaultReply JsonReply(int status, std::string body);
FaultReply StreamReply(std::vector<std::string> pieces);  // text/event-stream

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  int connection = 0;       // 1 for the first
  absl::Duration arrived;   // SystemClock()->Monotonic() when its last byte was there
  absl::Duration answered;  // … when the last byte of the answer was sent; zero before that
};

// An HTTP/1.1 server on 127.0.0.1 that answers the n-th request with the n-th reply of its script,
// and every one after the script with HTTP 500. Thread-safe; the destructor ends all connections.
class FaultHttpServer {
 public:
  explicit FaultHttpServer(std::vector<FaultReply> script);
  ~FaultHttpServer();
  FaultHttpServer(const FaultHttpServer&) = delete;
  FaultHttpServer& operator=(const FaultHttpServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:PORT"
  std::vector<ReceivedRequest> requests() const;
  int connection_count() const;
  void WaitForRequests(size_t count) const;
  void WaitForAnswers(size_t count) const;
  void Release();  // ends all stalls, also later ones

 private:
  void Accept();
  void Serve(int fd, int connection);
  bool Read(int fd, std::string* buffer, ReceivedRequest* request);
  bool Answer(int fd, const FaultReply& reply);
  bool Stall(int fd);

  int listener_ = -1;
  int stop_pipe_[2] = {-1, -1};
  int port_ = 0;
  const std::vector<FaultReply> script_;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<ReceivedRequest> requests_;
  std::vector<std::thread> servers_;
  int connections_ = 0;
  bool released_ = false;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_FAULT_HTTP_SERVER_H_
