#include "money.h"

#include <stdio.h>

void format_cents(long cents, char* text) {
  sprintf(text, "%ld.%02ld", cents / 100, cents % 100);
}
