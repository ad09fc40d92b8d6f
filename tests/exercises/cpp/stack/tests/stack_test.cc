#include "stack.h"

#include <string>

#include <iostream>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " << #condition << "\n"; \
      return 1;                                                                       \
    }                                                                                 \
  } while (false)

int main() {
  Stack<std::string> stack(2);
  CHECK(stack.Push("a"));
  CHECK(stack.Push("b"));
  CHECK(!stack.Push("c"));
  CHECK(stack.Room() == 0);
  CHECK(stack.Pop() == "b");
  CHECK(stack.Room() == 1);
  CHECK(stack.Pop() == "a");
  CHECK(!stack.Pop().has_value());
  return 0;
}
