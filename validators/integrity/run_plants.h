// Statements that make a function report a mark as it begins, for each grammar.
#ifndef STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_
#define STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/validation/changed_functions.h"
#include "validators/integrity/test_code.h"

namespace stile {

// The edits for the function whose body is the node `body`; no line moves where blocks stand in
// braces. Empty where no statement fits, as in a function-try-block of C++.
//
// Where tests of one process catch what each of them throws, functions throw the mark. Elsewhere
// that would end the process with all later tests, so they print it, a limited number of times. No
// condition is a constant: some compilers reject code behind one that always leaves.
std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path, uint32_t body);

// ---- for the languages, which make these edits ----

MarkEdit InsertMark(size_t at, absl::string_view text);

bool IsInBraces(const TestCode& code, uint32_t body);

// Behind the opening brace, and behind what must come first.
size_t BeginOfBlock(const TestCode& code, uint32_t body);

// The statement at the begin of a block; empty for a body without braces.
std::vector<MarkEdit> MarkInBraces(const TestCode& code, uint32_t body,
                                   absl::string_view statement);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_
