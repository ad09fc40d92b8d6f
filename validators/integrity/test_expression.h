// What an assertion compares, read from its tokens.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_EXPRESSION_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_EXPRESSION_H_

#include <string>
#include <vector>

#include "validators/integrity/test_code.h"

namespace stile {

// Whether the expression is the same in every run: true, 1 == 1, "a".
bool IsConstant(const CodeTokens& tokens);
bool IsConstantFalse(const CodeTokens& tokens);
bool IsConstantTrue(const CodeTokens& tokens);

// How much it tells of a value that `tokens`, a condition, holds. kVacuous: it always holds.
Strength StrengthOfCondition(const CodeTokens& tokens);
// The same for "not tokens".
Strength StrengthOfDenial(const CodeTokens& tokens);

// Whether a condition is about the machine that the tests run on and is false on Linux:
// `runtime.GOOS == "windows"`, `sys.platform != "linux"`, `cfg!(windows)`.
bool IsForeignPlatform(absl::string_view condition);
// Whether it is about the machine and true on Linux: `cfg(unix)`, `process.platform !== "win32"`.
bool IsThisPlatform(absl::string_view condition);

// Whether a platform or a version decides it, and it is not false here.
bool IsUsualCondition(const std::string& condition);

// An assertion in the code of a test.
struct TestAssertion {
  std::string matcher;  // the last name: "assertEqual", "assert", "toBe"
  CodeTokens tokens;    // all of it, without what it prints
  Strength strength = Strength::kPartial;
  bool is_nothing = false;  // that there is no value: an exact one, and less than any other
  int line = 0;             // 1-based
  std::string dead;         // why it is never reached or cannot fail; empty: it is live
  std::vector<std::string> conditions;  // under which it is reached

  std::string Text() const { return JoinTokens(tokens); }
  std::string Shape() const { return JoinTokens(tokens, /*with_literals=*/false); }
};

// Whether the second compares with a tolerance that is wider, and differs in nothing else.
bool WidensTolerance(const TestAssertion& before, const TestAssertion& after);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_EXPRESSION_H_
