#ifndef RING_H
#define RING_H

#include <stdbool.h>

// A queue of at most RING_CAPACITY numbers.
enum { RING_CAPACITY = 3 };
struct ring {
  int items[RING_CAPACITY];
  int first;
  int count;
};

bool ring_put(struct ring* ring, int item);    // false when it is full
bool ring_take(struct ring* ring, int* item);  // false when it is empty

#endif
