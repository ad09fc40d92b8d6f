#include "roman.h"

#include <stdexcept>
#include <utility>

std::string ToRoman(int number) {
  static const std::pair<int, const char*> kSymbols[] = {
      {1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
      {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
  if (number < 1 || number > 3999) {
    throw std::out_of_range("no Roman numeral");
  }
  std::string text;
  for (const auto& [value, symbol] : kSymbols) {
    while (number >= value) {
      text += symbol;
      number -= value;
    }
  }
  return text;
}
