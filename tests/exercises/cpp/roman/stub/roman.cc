#include "roman.h"

std::string ToRoman(int) { return ""; }
