using std::string;
namespace fs = std::filesystem;

struct Point {
  int x = 0, y = 0;
  Point& operator+=(const Point& other) { x += other.x; return *this; }
  ~Point() { x = 0; }
};

string Name(string name) {
  Point point{.x = 1, .y = 2};
  Point* pointer = &point;
  auto callback = [pointer](auto value) -> int { return pointer->x + value; };
  while (auto* next = Next(point)) point += *next;
  switch (int kind = callback(1); kind) {
    case 1: { int kind = 2; Use(kind); }
  }
  fs::path path(name);
  return name;
}
