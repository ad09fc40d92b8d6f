// Tests by name, as test runners report them.
#ifndef STILE_RUNTIME_VALIDATION_NAMED_TESTS_H_
#define STILE_RUNTIME_VALIDATION_NAMED_TESTS_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

enum class TestOutcome { kSkipped, kPassed, kFailed };

struct NamedTest {
  TestOutcome outcome = TestOutcome::kPassed;
  // Its name in the source: a function, or the text that describes it. "" if not known.
  std::string function;
  // Marks (run_marks.h) that stand in what the report says of it.
  std::set<std::string> marks = {};
};

// By the runner's name: "shop::tests::adds", "example.com/shop.TestPrice/zero", "Suite.Name/0".
using NamedTests = std::map<std::string, NamedTest>;

// Of two reports of one name (programs can share names), the worse outcome stays. Without
// `function`, FunctionOfTest(name) is taken. `words`: what the report says of it; its marks are
// kept.
void AddNamedTest(absl::string_view name, TestOutcome outcome, NamedTests* tests,
                  absl::string_view function = "", absl::string_view words = "");

// The last part of a test's name, without parameters: "test_a[3-x]" → "test_a", "a::b" → "b",
// "Shop.PriceTest.Of(count: 3)" → "Of", "src/lib.rs - price (line 3)" → "price",
// "cart.test.ts > adds two" → "adds two".
std::string FunctionOfTest(absl::string_view name);

// Whether a person who writes `wanted` means the test: the whole name, its end behind a separator,
// or either without parameters.
bool IsTestNamed(absl::string_view name, absl::string_view wanted);

// Functions of tests that ran before and of which none ran now, sorted. Those that `is_in_source`
// does not find are left out: whether tests may be removed is judged by the change itself.
std::vector<std::string> TestsNoLongerRun(
    const NamedTests& before, const NamedTests& now,
    const std::function<bool(const std::string& function)>& is_in_source);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_NAMED_TESTS_H_
