#pragma once

#include <string>

std::string FormatCents(int cents);
