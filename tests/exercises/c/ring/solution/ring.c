#include "ring.h"

bool ring_put(struct ring* ring, int item) {
  if (ring->count == RING_CAPACITY) {
    return false;
  }
  ring->items[(ring->first + ring->count) % RING_CAPACITY] = item;
  ring->count += 1;
  return true;
}

bool ring_take(struct ring* ring, int* item) {
  if (ring->count == 0) {
    return false;
  }
  *item = ring->items[ring->first];
  ring->first = (ring->first + 1) % RING_CAPACITY;
  ring->count -= 1;
  return true;
}
