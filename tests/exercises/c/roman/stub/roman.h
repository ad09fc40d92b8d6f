#ifndef ROMAN_H
#define ROMAN_H

#include <stddef.h>

// Writes `number` into `text`; 0 for success, -1 where there is no numeral or no room.
int to_roman(int number, char* text, size_t size);

#endif
