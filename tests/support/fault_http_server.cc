#include "tests/support/fault_http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "runtime/base/check.h"
#include "runtime/base/clock.h"

namespace stile {
namespace {

bool SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool SendChunk(int fd, absl::string_view bytes) {
  return bytes.empty() ||
         SendAll(fd, absl::StrCat(absl::StrFormat("%x\r\n", bytes.size()), bytes, "\r\n"));
}

}  // namespace

FaultReply JsonReply(int status, std::string body) {
  FaultReply reply;
  reply.status = status;
  reply.headers = {{"Content-Type", "application/json"}};
  reply.pieces = {std::move(body)};
  return reply;
}

FaultReply StreamReply(std::vector<std::string> pieces) {
  FaultReply reply;
  reply.headers = {{"Content-Type", "text/event-stream"}};
  reply.pieces = std::move(pieces);
  return reply;
}

FaultHttpServer::FaultHttpServer(std::vector<FaultReply> script) : script_(std::move(script)) {
  STILE_CHECK(pipe(stop_pipe_) == 0);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  STILE_CHECK(listener_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  STILE_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  STILE_CHECK(listen(listener_, 64) == 0);
  STILE_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FaultHttpServer::~FaultHttpServer() {
  Release();
  close(stop_pipe_[1]);  // every poll on the other end wakes up
  acceptor_.join();
  for (std::thread& server : servers_) server.join();
  close(listener_);
  close(stop_pipe_[0]);
}

std::string FaultHttpServer::url() const { return absl::StrCat("http://127.0.0.1:", port_); }

std::vector<ReceivedRequest> FaultHttpServer::requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

int FaultHttpServer::connection_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connections_;
}

void FaultHttpServer::WaitForRequests(size_t count) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return requests_.size() >= count; });
}

void FaultHttpServer::WaitForAnswers(size_t count) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return std::count_if(requests_.begin(), requests_.end(), [](const ReceivedRequest& request) {
             return request.answered > absl::ZeroDuration();
           }) >= static_cast<std::ptrdiff_t>(count);
  });
}

void FaultHttpServer::Release() {
  const std::lock_guard<std::mutex> lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void FaultHttpServer::Accept() {
  while (true) {
    pollfd entries[] = {{listener_, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    if (poll(entries, 2, -1) < 0) continue;
    if (entries[1].revents != 0) return;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const std::lock_guard<std::mutex> lock(mutex_);
    const int connection = ++connections_;
    servers_.emplace_back([this, fd, connection] {
      Serve(fd, connection);
      close(fd);
    });
  }
}

void FaultHttpServer::Serve(int fd, int connection) {
  std::string buffer;
  while (true) {
    ReceivedRequest request;
    request.connection = connection;
    if (!Read(fd, &buffer, &request)) return;
    request.arrived = SystemClock()->Monotonic();
    size_t number = 0;
    FaultReply reply = JsonReply(500, R"({"error":{"message":"the script has ended"}})");
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      number = requests_.size();
      if (number < script_.size()) reply = script_[number];
      requests_.push_back(std::move(request));
      changed_.notify_all();
    }
    const bool keep = Answer(fd, reply);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requests_[number].answered = SystemClock()->Monotonic();
      changed_.notify_all();
    }
    if (!keep) return;
  }
}

// Reads one request; false when the client hung up or the server stops.
bool FaultHttpServer::Read(int fd, std::string* buffer, ReceivedRequest* request) {
  size_t header_end = std::string::npos;
  size_t body_bytes = 0;
  while (true) {
    header_end = buffer->find("\r\n\r\n");
    if (header_end != std::string::npos && request->method.empty()) {
      const std::vector<std::string> lines = absl::StrSplit(buffer->substr(0, header_end), "\r\n");
      const std::vector<std::string> words = absl::StrSplit(lines[0], ' ');
      request->method = words[0];
      request->target = words.size() > 1 ? words[1] : "";
      for (size_t i = 1; i < lines.size(); ++i) {
        const size_t colon = lines[i].find(':');
        request->headers[absl::AsciiStrToLower(lines[i].substr(0, colon))] =
            std::string(absl::StripAsciiWhitespace(lines[i].substr(colon + 1)));
      }
      STILE_CHECK(request->headers.count("content-length") == 0 ||
                  absl::SimpleAtoi(request->headers["content-length"], &body_bytes));
    }
    if (header_end != std::string::npos && buffer->size() >= header_end + 4 + body_bytes) {
      request->body = buffer->substr(header_end + 4, body_bytes);
      buffer->erase(0, header_end + 4 + body_bytes);
      return true;
    }
    pollfd entries[] = {{fd, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    if (poll(entries, 2, -1) < 0) continue;
    if (entries[1].revents != 0) return false;
    char bytes[65536];
    const ssize_t count = recv(fd, bytes, sizeof(bytes), 0);
    if (count <= 0) return false;
    buffer->append(bytes, static_cast<size_t>(count));
  }
}

bool FaultHttpServer::Stall(int fd) {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return released_; })) {
        return true;
      }
    }
    char byte;
    if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return false;
  }
}

bool FaultHttpServer::Answer(int fd, const FaultReply& reply) {
  if (reply.stall_before_headers && !Stall(fd)) return false;
  if (!reply.raw.empty()) {
    SendAll(fd, reply.raw);
    return false;
  }
  std::string head =
      absl::StrCat("HTTP/1.1 ", reply.status, " Scripted\r\n", "Transfer-Encoding: chunked\r\n");
  for (const auto& [name, value] : reply.headers) absl::StrAppend(&head, name, ": ", value, "\r\n");
  if (!SendAll(fd, absl::StrCat(head, "\r\n"))) return false;
  for (const std::string& piece : reply.pieces) {
    if (!SendChunk(fd, piece)) return false;
  }
  const std::string block(std::min<size_t>(reply.filler_bytes, 1 << 16), 'x');
  for (size_t left = reply.filler_bytes; left > 0;) {
    const size_t now = std::min(left, block.size());
    if (!SendChunk(fd, absl::string_view(block).substr(0, now))) return false;
    left -= now;
  }
  if (reply.stall_at_end && !Stall(fd)) return false;
  if (reply.break_off) return false;
  return SendAll(fd, "0\r\n\r\n");
}

}  // namespace stile
