#include "roman.h"

#include <stdexcept>

#include <iostream>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " << #condition << "\n"; \
      return 1;                                                                       \
    }                                                                                 \
  } while (false)

int main() {
  CHECK(ToRoman(1) == "I");
  CHECK(ToRoman(4) == "IV");
  CHECK(ToRoman(9) == "IX");
  CHECK(ToRoman(48) == "XLVIII");
  CHECK(ToRoman(93) == "XCIII");
  CHECK(ToRoman(141) == "CXLI");
  CHECK(ToRoman(575) == "DLXXV");
  CHECK(ToRoman(911) == "CMXI");
  CHECK(ToRoman(1444) == "MCDXLIV");
  CHECK(ToRoman(3999) == "MMMCMXCIX");
  for (const int number : {0, -1, 4000}) {
    bool refused = false;
    try {
      ToRoman(number);
    } catch (const std::out_of_range&) {
      refused = true;
    }
    CHECK(refused);
  }
  return 0;
}
