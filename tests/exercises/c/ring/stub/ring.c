#include "ring.h"

bool ring_put(struct ring* ring, int item) { return ring->count > item; }

bool ring_take(struct ring* ring, int* item) { return ring->count > *item; }
