// Tables of a test file that stand outside of its functions, and the functions that run through
// them.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_TABLES_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_TABLES_H_

#include <functional>
#include <map>
#include <set>
#include <string>

#include "validators/integrity/test_code.h"
#include "validators/integrity/test_expression.h"
#include "validators/integrity/test_side.h"

namespace stile {

// Declarations outside of functions whose values hold rows (test_functions.h), as `cases` of
// `static const struct pair cases[] = {{1, 2}, {3, 4}};`. Value: whether code outside of functions
// uses the name, as a loop around tests or a decorator does. "" stands for tables without a name,
// which are used where they stand: `it.each([[1, 2], [3, 4]])`.
std::map<std::string, bool> FindTables(const TestCode& code);

// Whether the rows of a place are judged: a function calls `called` and asserts with at least this
// strength. That function is the place itself or, for a file, one that names a table of the file.
bool JudgesRows(const TestSide& side, const TestPlace& place, const std::set<std::string>& called,
                Strength strength, const std::function<bool(const TestPlace&)>& is_live);

// The values without those of an assertion of the file that calls `called` and has no others: in
// `fee(0, grams) == euros` 0 is the same for all rows.
std::multiset<std::string> WithoutConstants(const TestSide& side, const TestPlace& place,
                                            const std::set<std::string>& called,
                                            std::multiset<std::string> values);

// Whether a framework takes rows for tests from it, though nothing names it: @Parameters.
bool ProvidesRows(const TestUnit& unit);

// Whether the unit names the function, or quotes its name: @MethodSource("cases").
bool IsNamedIn(const TestUnit& unit, const std::string& function);

// The value that an assertion compares with a field: "3" of `assert point.x == 3`; "" for others.
std::string ValueOfPart(const TestAssertion& assertion);

// The values of what is compared as a whole: 2 and 3 of `assert point == Point(2, 3)`; none where
// less than two are.
std::multiset<std::string> PartsOfWhole(const TestAssertion& assertion);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_TABLES_H_
