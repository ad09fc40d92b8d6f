#include <vector>
namespace net {
template <typename T, int N>
class Server : public Base<T> {
 public:
  explicit Server(int port) : port_(port), count(N) {}
  int Run(const T& value, int limit = 3);
  int port() const { return port_ + later_; }

 private:
  int port_, count;
  T value_;
  int later_ = 0;
};

template <typename T, int N>
int Server<T, N>::Run(const T& value, int limit) {
  auto [first, second] = Split(value);
  auto add = [&, extra = limit](int x) { return x + extra + port_; };
  for (auto& item : items) Use(item, first);
  for (int i = 0; i < limit; ++i) { int limit = i; Use(limit); }
  if (int found = Find(second); found > 0) return found;
  try { Use(add(1)); } catch (const Error& error) { Use(error); }
  net::Server<int, 2> server(limit);
  server.Run(value);
  return this->port_ + Server::kMax;
}

using Alias = Server<int, 3>;
enum class Color { kRed };
Color Paint(Alias alias, Color color = Color::kRed) { return color; }
}  // namespace net

template <typename U>
U Max(U a, U b) { return a > b ? a : b; }

int net::Global(int count) { return Max(count, ::other); }
