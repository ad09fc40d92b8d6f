#include <stdio.h>

#include "ring.h"

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
      return 1;                                                          \
    }                                                                    \
  } while (0)

int main(void) {
  struct ring ring = {{0}, 0, 0};
  int item = 0;
  CHECK(!ring_take(&ring, &item));
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < RING_CAPACITY; ++i) CHECK(ring_put(&ring, 10 * round + i));
    CHECK(!ring_put(&ring, 99));
    CHECK(ring_take(&ring, &item) && item == 10 * round);
    CHECK(ring_put(&ring, 10 * round + 7));
    CHECK(ring_take(&ring, &item) && item == 10 * round + 1);
    CHECK(ring_take(&ring, &item) && item == 10 * round + 2);
    CHECK(ring_take(&ring, &item) && item == 10 * round + 7);
    CHECK(!ring_take(&ring, &item));
  }
  return 0;
}
