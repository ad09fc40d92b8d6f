#include "runtime/process/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

constexpr absl::Duration kReadTimeout = absl::Seconds(30);
constexpr size_t kPieceBytes = size_t{64} << 10;

// An address may have 107 bytes, so it names the open folder of the socket in /proc. `folder` has
// to stay open until the address has been used.
absl::StatusOr<sockaddr_un> AddressOf(const std::string& path, UniqueFd* folder) {
  const size_t slash = path.rfind('/');
  const std::string parent = path.substr(0, std::max<size_t>(slash, 1));
  *folder = UniqueFd(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder->get() < 0) return ErrnoStatus(errno, "open", parent);
  const std::string name =
      absl::StrCat("/proc/self/fd/", folder->get(), "/", path.substr(slash + 1));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("the name of the socket is too long: ", path));
  }
  memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return address;
}

UniqueFd NewSocket() {
  return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Waits until `fd` is ready. False: cancelled, or `deadline` passed.
bool Await(int fd, int16_t events, const Cancellation* cancellation, absl::Time deadline) {
  for (;;) {
    pollfd entries[] = {{fd, events, 0},
                        {cancellation == nullptr ? -1 : cancellation->fd(), POLLIN, 0}};
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    const int wait_ms =
        left > absl::Hours(1) ? -1 : static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
    const int ready = poll(entries, 2, wait_ms);
    if (ready < 0 && errno != EINTR) return false;
    if (entries[1].revents != 0) return false;
    if (ready > 0 && entries[0].revents != 0) return true;
  }
}

// Reads until the other side has closed its half. False: it did not, or sent too much.
bool ReadAll(int fd, const Cancellation* cancellation, absl::Time deadline, std::string* bytes) {
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    if (!Await(fd, POLLIN, cancellation, deadline)) return false;
    const ssize_t count = read(fd, piece.data(), piece.size());
    if (count == 0) return true;
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count > 0) bytes->append(piece, 0, static_cast<size_t>(count));
    if (bytes->size() > kMaxLocalBytes) return false;
  }
}

bool SendAll(int fd, absl::string_view bytes, const Cancellation* cancellation,
             absl::Time deadline) {
  while (!bytes.empty()) {
    if (!Await(fd, POLLOUT, cancellation, deadline)) return false;
    const ssize_t count = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return shutdown(fd, SHUT_WR) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalServer>> LocalServer::Open(const std::string& path,
                                                               Handler handler) {
  UniqueFd folder;
  STILE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path, &folder));
  UniqueFd listener = NewSocket();
  if (listener.get() < 0) return ErrnoStatus(errno, "make the socket", path);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (errno == EADDRINUSE) return absl::AlreadyExistsError(absl::StrCat(path, " exists"));
    return ErrnoStatus(errno, "bind", path);
  }
  std::unique_ptr<LocalServer> server(
      new LocalServer(path, std::move(listener), std::move(handler)));
  if (listen(server->listener_.get(), SOMAXCONN) != 0) return ErrnoStatus(errno, "listen at", path);
  server->thread_ = TryStartThread([server = server.get()] { server->Serve(); });
  if (!server->thread_.joinable()) {
    return absl::ResourceExhaustedError("the system has no more threads");
  }
  return server;
}

LocalServer::~LocalServer() {
  stop_.Cancel();
  if (thread_.joinable()) thread_.join();
  unlink(path_.c_str());
}

void LocalServer::Serve() {
  while (Await(listener_.get(), POLLIN, &stop_, absl::InfiniteFuture())) {
    const UniqueFd peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer.get() < 0) {
      // Where the system has no more descriptors or memory, others may give some back.
      if (errno != EINTR && errno != ECONNABORTED) stop_.WaitFor(absl::Milliseconds(100));
      continue;
    }
    std::string request;
    if (!ReadAll(peer.get(), &stop_, absl::Now() + kReadTimeout, &request)) continue;
    SendAll(peer.get(), Answer(request, peer.get()), &stop_, absl::Now() + kReadTimeout);
  }
}

std::string LocalServer::Answer(const std::string& request, int peer) {
  std::string answer;
  Cancellation cancellation;
  Cancellation done;
  std::thread worker = TryStartThread([&] {
    answer = handler_(request, cancellation);
    done.Cancel();
  });
  if (!worker.joinable()) return "";
  // The peer has closed one half already; POLLHUP comes with the other.
  pollfd entries[] = {{peer, 0, 0}, {stop_.fd(), POLLIN, 0}, {done.fd(), POLLIN, 0}};
  while (poll(entries, 3, -1) < 0 && errno == EINTR) {
  }
  if (entries[0].revents != 0 || entries[1].revents != 0) cancellation.Cancel();
  worker.join();
  return answer;
}

absl::StatusOr<std::string> AskLocalServer(const std::string& path, absl::string_view request,
                                           const Cancellation* cancellation) {
  const auto failed = [&](absl::string_view why) -> absl::Status {
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled");
    }
    return absl::UnavailableError(absl::StrCat(path, ": ", why));
  };
  UniqueFd folder;
  const auto address = AddressOf(path, &folder);
  if (!address.ok()) return failed(address.status().message());
  const UniqueFd peer = NewSocket();
  if (peer.get() < 0 ||
      connect(peer.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) != 0) {
    return failed(strerror(errno));
  }
  std::string answer;
  if (!SendAll(peer.get(), request, cancellation, absl::InfiniteFuture()) ||
      !ReadAll(peer.get(), cancellation, absl::InfiniteFuture(), &answer) || answer.empty()) {
    return failed("it ended without an answer");
  }
  return answer;
}

}  // namespace stile
