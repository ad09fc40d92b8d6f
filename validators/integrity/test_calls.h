// Calls in the code of tests: their names, and what they do to a test.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_CALLS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_CALLS_H_

#include <string>
#include <vector>

#include "validators/integrity/test_code.h"

namespace stile {

// `expect(a).not.toBe(b)`: expect, not, toBe.
struct CallNames {
  std::string head;
  std::string last;
  std::vector<std::string> all;
  CodeTokens arguments;       // of the last one, without its brackets
  CodeTokens subject;         // of the call before it in the chain
  bool has_function = false;  // one of the arguments is a function
};

// Of a call.
CallNames NamesOfCall(const TestCode& code, uint32_t call);
// Of a chain that ends without a call: `expect(a).to.be.true`.
CallNames NamesOfChain(const TestCode& code, uint32_t node);

// Whether it ends the process: os._exit(0), process.exit(), System.exit(0).
bool IsExitCall(const TestCode& code, uint32_t call);

// Whether an `except` or `catch` keeps failed assertions to itself.
bool SwallowsAssertions(const TestCode& code, uint32_t handler);

// How much the assertion that is made of this call tells.
Strength StrengthOfAssertion(const CallNames& names);

// assertIsNone(x), toBeNull(), EXPECT_EQ(x, nullptr): names one value, but one that is nothing.
bool ComparesWithNothing(const CallNames& names);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_CALLS_H_
