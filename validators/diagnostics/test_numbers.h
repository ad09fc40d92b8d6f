#ifndef STILE_VALIDATORS_DIAGNOSTICS_TEST_NUMBERS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_TEST_NUMBERS_H_

#include <map>

#include "absl/strings/string_view.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {

// a + b of numbers >= 0; the largest int where that does not fit.
int SaturatingSum(int a, int b);

// The numbers of one summary. Those that do not fit are the largest int.
class TestNumbers {
 public:
  enum class Kind { kPassed, kFailed, kError, kSkipped, kTotal };

  TestNumbers() = default;
  // Of a list like "1 failed, 2 passed", "Failures: 1, Errors: 0" or "errors=1". What it has in
  // parentheses and words that mean none of the kinds are left out.
  explicit TestNumbers(absl::string_view list);

  // Adds a number of digits, maybe with a sign.
  TestNumbers& Add(Kind kind, absl::string_view digits);
  bool Has(Kind kind) const { return numbers_.count(kind) > 0; }
  int Get(Kind kind) const { return Has(kind) ? numbers_.at(kind) : 0; }
  // Without a number of passed tests, those are what is left of the total. Not found and not
  // complete where a number is negative.
  TestSummary Summary() const;

 private:
  std::map<Kind, int> numbers_;
  bool impossible_ = false;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_TEST_NUMBERS_H_
