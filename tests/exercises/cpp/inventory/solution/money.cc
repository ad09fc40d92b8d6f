#include "money.h"

std::string FormatCents(int cents) {
  const std::string rest = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}
