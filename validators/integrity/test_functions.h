// Which functions and files are tests, and the tables that tests run through.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_FUNCTIONS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_FUNCTIONS_H_

#include <string>
#include <vector>

#include "validators/integrity/test_code.h"

namespace stile {

struct TestFunctionName {
  std::string name;       // "Suite.Name" of TEST(Suite, Name)
  bool is_macro = false;  // made by such a macro
};

// Where a function stands.
struct FunctionPlace {
  bool is_test = false;  // in a file or module of tests
  bool in_function = false;
  std::string type;              // around it; empty: none
  bool has_bases = false;        // of that type
  bool has_test_macros = false;  // of the file: other functions are helpers
};

TestFunctionName NameOfFunction(const TestCode& code, uint32_t i);

// TEST, TEST_F, TEST_CASE, SCENARIO, BOOST_AUTO_TEST_CASE
bool IsTestMacroName(absl::string_view name);

// `markers`: attributes that stand before it.
bool IsTestFunction(const TestCode& code, const FunctionPlace& place, uint32_t i,
                    const TestFunctionName& name, const std::vector<uint32_t>& markers);

// Elements of a list of lists, arguments of [InlineData(…)], strings of @CsvSource: the rows that
// begin at this node.
std::vector<std::string> RowsAt(const TestCode& code, uint32_t i, bool in_marker);

// Whether the path is of a file that holds tests, whatever a language file says.
bool IsTestPath(absl::string_view path);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_FUNCTIONS_H_
