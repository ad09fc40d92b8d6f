#include "inventory.h"

#include <iostream>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " << #condition << "\n"; \
      return 1;                                                                       \
    }                                                                                 \
  } while (false)

int main() {
  Inventory inventory;
  inventory.Add("bolt", 2, 20);
  inventory.Add("bolt", 8, 25);
  inventory.Add("nut", 3, 107);
  CHECK(inventory.Count("bolt") == 10);
  CHECK(inventory.Count("screw") == 0);
  CHECK(inventory.Value() == "5.71");
  CHECK(!inventory.Take("bolt", 11));
  CHECK(!inventory.Take("screw", 1));
  CHECK(inventory.Take("bolt", 10));
  CHECK(inventory.Count("bolt") == 0);
  CHECK(inventory.Value() == "3.21");
  CHECK(inventory.Take("nut", 2));
  CHECK(inventory.Value() == "1.07");
  return 0;
}
