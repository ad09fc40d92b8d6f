// The tests of one file: what they assert, and what keeps an assertion from being reached.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_UNITS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_UNITS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "validators/integrity/call_signatures.h"
#include "validators/integrity/test_code.h"
#include "validators/integrity/test_expression.h"
#include "validators/integrity/test_skips.h"

namespace stile {

struct TestUnit {
  // kFile: what stands outside of functions, as `describe` bodies and tables.
  enum class Kind { kTest, kHelper, kFile } kind = Kind::kHelper;
  struct Call {
    std::string name;  // the last one
    std::string dead;
    std::vector<std::string> conditions;
  };
  std::string name;  // with the types or titles around it; unique in its file
  std::string last_name;
  int line = 0;
  uint32_t begin = 0;  // bytes, with decorators
  uint32_t end = 0;
  std::vector<TestAssertion> assertions;
  std::vector<Call> calls;      // all but assertions
  CallForms forms;              // of all calls, those in assertions included
  std::set<std::string> names;  // every identifier
  std::multiset<std::string> literals;
  std::multiset<std::string> rows;  // elements of tables, cases of parameterized tests
  // kFile: names of tables outside of functions, and whether code outside of functions uses them.
  std::map<std::string, bool> tables;
  int statements = 0;
  bool is_referenced = false;       // its name stands elsewhere in the file
  bool is_setup = false;            // runs around tests
  bool must_be_referenced = false;  // C: nothing finds it by its name
  std::string dead;                 // why it is never run
};

struct FileTests {
  std::vector<TestUnit> units;  // [0] is the one of kFile
  std::vector<TestSkip> skips;
};

// `is_test`: the file is named as tests are. Others are read for tests that are marked as such.
FileTests ReadTests(const TestCode& code, absl::string_view path, bool is_test,
                    const SkipNames& skips);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_UNITS_H_
