#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roman.h"

static void expect(int number, const char* want) {
  char text[32] = "?";
  if (to_roman(number, text, sizeof(text)) != 0 || strcmp(text, want) != 0) {
    printf("%d is %s, not %s\n", number, text, want);
    exit(1);
  }
}

static void refuse(int number, size_t size) {
  char text[32] = "?";
  if (to_roman(number, text, size) != -1) {
    printf("%d has become %s\n", number, text);
    exit(1);
  }
}

int main(void) {
  expect(1, "I");
  expect(4, "IV");
  expect(9, "IX");
  expect(48, "XLVIII");
  expect(93, "XCIII");
  expect(141, "CXLI");
  expect(575, "DLXXV");
  expect(911, "CMXI");
  expect(1444, "MCDXLIV");
  expect(3999, "MMMCMXCIX");
  refuse(0, 32);
  refuse(-1, 32);
  refuse(4000, 32);
  refuse(8, 4);
  refuse(8, 0);
  return 0;
}
