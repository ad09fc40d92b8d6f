#include "roman.h"

#include <string.h>

static const struct {
  int value;
  const char* text;
} kSymbols[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};

int to_roman(int number, char* text, size_t size) {
  size_t used = 0;
  if (number < 1 || number > 3999 || size == 0) {
    return -1;
  }
  for (size_t i = 0; i < sizeof(kSymbols) / sizeof(kSymbols[0]); ++i) {
    const size_t length = strlen(kSymbols[i].text);
    while (number >= kSymbols[i].value) {
      if (used + length >= size) {
        return -1;
      }
      memcpy(text + used, kSymbols[i].text, length);
      used += length;
      number -= kSymbols[i].value;
    }
  }
  text[used] = 0;
  return 0;
}
