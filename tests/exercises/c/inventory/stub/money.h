#ifndef MONEY_H
#define MONEY_H

// Writes cents as units with two decimals; `text` has room for 32 bytes.
void format_cents(long cents, char* text);

#endif
