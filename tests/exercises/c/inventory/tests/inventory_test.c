#include "inventory.h"

#include <stdio.h>
#include <string.h>

#include "money.h"

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
      return 1;                                                          \
    }                                                                    \
  } while (0)

int main(void) {
  struct inventory inventory;
  char text[32];
  memset(&inventory, 0, sizeof(inventory));
  CHECK(inventory_add(&inventory, "bolt", 2, 20));
  CHECK(inventory_add(&inventory, "bolt", 8, 25));
  CHECK(inventory_add(&inventory, "nut", 3, 107));
  CHECK(inventory_count(&inventory, "bolt") == 10);
  CHECK(inventory_count(&inventory, "screw") == 0);
  format_cents(inventory_value(&inventory), text);
  CHECK(strcmp(text, "5.71") == 0);
  CHECK(!inventory_take(&inventory, "bolt", 11));
  CHECK(!inventory_take(&inventory, "screw", 1));
  CHECK(inventory_take(&inventory, "bolt", 10));
  CHECK(inventory_count(&inventory, "bolt") == 0);
  CHECK(inventory_value(&inventory) == 321);
  for (char name[] = "a"; inventory.used < MAX_ARTICLES; ++name[0]) {
    CHECK(inventory_add(&inventory, name, 1, 1));
  }
  CHECK(!inventory_add(&inventory, "more", 1, 1));
  return 0;
}
