// Statements that make a function report a mark as it begins, for each grammar.
#ifndef STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_
#define STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/validation/changed_functions.h"
#include "validators/integrity/test_code.h"

namespace stile {

// The edits for the function whose body is the node `body`; no line moves but in Python. Empty
// where no statement fits, as in a function-try-block of C++.
std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path, uint32_t body);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_RUN_PLANTS_H_
