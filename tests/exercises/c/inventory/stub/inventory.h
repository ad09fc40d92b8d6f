#ifndef INVENTORY_H
#define INVENTORY_H

#include <stdbool.h>

enum { MAX_ARTICLES = 8 };
struct article {
  char name[16];
  long price_cents;
  long count;
};
struct inventory {
  struct article articles[MAX_ARTICLES];
  int used;
};

bool inventory_add(struct inventory* inventory, const char* name, long count, long price_cents);
bool inventory_take(struct inventory* inventory, const char* name, long count);
long inventory_count(const struct inventory* inventory, const char* name);
long inventory_value(const struct inventory* inventory);

#endif
