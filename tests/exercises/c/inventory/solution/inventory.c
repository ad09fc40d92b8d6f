#include "inventory.h"

#include <stdio.h>
#include <string.h>

static int find(const struct inventory* inventory, const char* name) {
  for (int i = 0; i < inventory->used; ++i) {
    if (strcmp(inventory->articles[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

bool inventory_add(struct inventory* inventory, const char* name, long count, long price_cents) {
  int i = find(inventory, name);
  if (i < 0) {
    if (inventory->used == MAX_ARTICLES) {
      return false;
    }
    i = inventory->used++;
    snprintf(inventory->articles[i].name, sizeof(inventory->articles[i].name), "%s", name);
    inventory->articles[i].count = 0;
  }
  inventory->articles[i].price_cents = price_cents;
  inventory->articles[i].count += count;
  return true;
}

bool inventory_take(struct inventory* inventory, const char* name, long count) {
  const int i = find(inventory, name);
  if (i < 0 || inventory->articles[i].count < count) {
    return false;
  }
  inventory->articles[i].count -= count;
  return true;
}

long inventory_count(const struct inventory* inventory, const char* name) {
  const int i = find(inventory, name);
  return i < 0 ? 0 : inventory->articles[i].count;
}

long inventory_value(const struct inventory* inventory) {
  long cents = 0;
  for (int i = 0; i < inventory->used; ++i) {
    cents += inventory->articles[i].count * inventory->articles[i].price_cents;
  }
  return cents;
}
