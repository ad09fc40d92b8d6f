// Compares what decides which tests run: skips, hooks, exits, build constraints.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_RUN_WEAKENING_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_RUN_WEAKENING_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/validation/weakening.h"
#include "validators/integrity/test_side.h"

namespace stile {

// Of tests after the change, what they were before; without those that are new.
using TestCounterparts = std::map<const TestPlace*, const TestPlace*>;

// A skip of a test that is new is minor, as is one on another platform. `existing`: paths that
// were there before.
std::vector<Weakening> CompareTestRuns(const TestSide& before, const TestSide& after,
                                       const std::set<std::string>& existing,
                                       const TestCounterparts& counterparts);

// Whether a skip keeps the test from running that did not before.
bool HasNewSkip(const TestSide& before, const TestSide& after, const TestPlace& place);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_RUN_WEAKENING_H_
