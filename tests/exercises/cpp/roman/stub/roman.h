#pragma once

#include <string>

// Throws std::out_of_range where there is no numeral.
std::string ToRoman(int number);
