// Marks: words planted in code of a copy, which stand in a test's report if the test ran through
// that code.
#ifndef STILE_RUNTIME_VALIDATION_RUN_MARKS_H_
#define STILE_RUNTIME_VALIDATION_RUN_MARKS_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace stile {

// "ran" and 16 hexadecimal digits, which follow from `random`.
std::string RunMark(uint64_t random);

// The two halves of a mark. Code that puts them together does not hold the mark itself, so that a
// report that quotes lines of source says nothing.
std::pair<std::string, std::string> HalvesOfMark(const std::string& mark);

// All words in the text that have the form of a mark.
std::set<std::string> RunMarksIn(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_RUN_MARKS_H_
