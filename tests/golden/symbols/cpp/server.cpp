#include "server.h"

#include <string>

namespace net::http {

// Comes before everything.
struct Options;

enum class State : int { kIdle, kRunning = 2 };

/// A server.
template <typename T, int N = 4>
class Server final : public Base<T>, private detail::Mixin {
 public:
  using Handler = std::function<void(int)>;
  typedef T value_type;
  enum { kLimit = 8 };

  Server();
  explicit Server(int port) : port_(port) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  virtual ~Server();

  // Starts it.
  virtual void Run(int argc) = 0;
  static Server* Create(const std::string& name);
  T& value() { return value_; }
  const T* pointer() const noexcept;
  bool operator==(const Server& other) const { return true; }
  operator bool() const { return true; }
  template <typename U>
  void Take(U&& u);
  void (*callback)(int) = nullptr;

  struct Inner {
    int depth = 0;
    class Deeper {};
  };

 private:
  friend class Peer;
  int port_ = 0, backlog_;
  T value_;
  static constexpr int kSize = 3;
  std::string name_{"x"};
  int& reference_;
  Inner inner_[2];
};

template <>
class Server<int, 4> {};

Server::Server() {}
Server::~Server() = default;
void Server::Run(int argc) {
  int local = 0;
  auto lambda = [&](int x) { int y = x; return y; };
  struct Local { int member; };
}
template <typename T>
T& Server<T>::value() { return value_; }
bool Server::operator<(const Server& other) const { return false; }
int Server::count = 0;
std::string outer::Server::Name() const { return name_; }

template <typename T>
concept Hashable = requires(T a) { a.hash(); };

template <typename T>
using Vector = std::vector<T>;

namespace {
int hidden = 1;
void Hide() {}
}  // namespace

inline namespace v1 {
void Versioned();
}

template <typename T>
constexpr T kPi = T(3.14);

template <class T>
T Max(T a, T b) { return a > b ? a : b; }

auto Trailing(int x) -> int { return x; }
std::ostream& operator<<(std::ostream& out, const Options& options);
constexpr int kAnswer = 42;
extern int shared;
thread_local int counter = 0;
Options *options, &alias = *options;

}  // namespace net::http

namespace fs = std::filesystem;
using net::http::Server;

extern "C" {
int c_function(void);
void c_defined() {}
}
extern "C" void single(int);

union Number {
  int i;
  float f;
};
