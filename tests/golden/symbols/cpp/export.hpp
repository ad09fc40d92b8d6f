#pragma once

#define EXPORT __attribute__((visibility("default")))

namespace db {

class Snapshot;
class EXPORT Cache {
 public:
  virtual int Size();
  int capacity;
};

struct EXPORT Range {
  int start;
  int limit;
};

// An iterator.
class Iterator : public Cache {
 public:
  Iterator() = default;
  ~Iterator() override;
  [[nodiscard]] virtual bool Valid() const = 0;
  friend bool operator==(const Iterator& a, const Iterator& b) { return true; }
  friend class Snapshot;

  template <typename... Args>
  static Iterator Make(Args&&... args) {
    return Iterator(args...);
  }
  class Nested;
};

class Iterator::Nested {
  int value;
};

template <class K, class V>
struct Pair {
  K key;
  V value;
};

template <class T>
struct Forward;

struct Point {
  int x, y;
} origin, *pointer;

void Visit(void (*visit)(int), int (&array)[3]);

#if defined(USE_A)
int Platform() { return 1; }
#else
int Platform() { return 2; }
#endif

}  // namespace db
