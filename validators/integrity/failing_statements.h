// Statements that fail the test in which they stand, in the words of the test: where it asserts
// with assert.strictEqual, a call of it that must fail. A library that no longer fails is found so.
#ifndef STILE_VALIDATORS_INTEGRITY_FAILING_STATEMENTS_H_
#define STILE_VALIDATORS_INTEGRITY_FAILING_STATEMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "validators/integrity/test_code.h"

namespace stile {

class FailingStatements {
 public:
  // `code` outlives it.
  explicit FailingStatements(const TestCode& code);

  // Statements for the function whose body is the node, on one line where blocks stand in
  // braces. Where the function has several assertions, one that does not fail lets the test pass.
  // `can_return`: whether a `return` without a value may stand there. `indent`: of the lines.
  std::string For(uint32_t body, bool can_return, const std::string& indent = "") const;
  // Whether the node holds assertions of the language itself.
  bool Asserts(uint32_t body) const;
  // Whether the file has an assertion that fails as the call `form`.
  bool HasForm(const std::string& form) const;

 private:
  std::vector<std::string> CallsIn(uint32_t begin, uint32_t end) const;
  std::vector<std::string> CallsFor(uint32_t body) const;

  const TestCode& code_;
  const std::vector<std::string> calls_of_file_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_FAILING_STATEMENTS_H_
