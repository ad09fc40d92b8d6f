#include "validators/diagnostics/test_lines.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

using Kind = TestNumbers::Kind;

constexpr int kMost = std::numeric_limits<int>::max();

void Increase(int* sum, int number = 1) {
  *sum = *sum > kMost - number ? kMost : *sum + number;
}

std::optional<Kind> KindOf(const std::string& word) {
  static const auto* const kinds = [] {
    auto* const table = new std::map<std::string, Kind>;
    const auto add = [table](Kind kind, std::initializer_list<const char*> words) {
      for (const char* each : words) table->emplace(each, kind);
    };
    add(Kind::kPassed, {"passed", "passing", "pass", "passes", "succeeded", "successes",
                        "tests successful", "xpassed"});
    add(Kind::kFailed, {"failed", "failing", "fail", "failure", "failures", "cancelled", "timed out",
                        "subtests failed", "tests failed", "tests aborted", "containers failed",
                        "unexpected successes", "xpass"});
    add(Kind::kError, {"error", "errors", "error occurred outside of examples",
                       "errors occurred outside of examples"});
    add(Kind::kSkipped,
        {"skipped", "skip", "skips", "tests skipped", "pending", "pendings", "todo", "ignored",
         "excluded", "omissions", "incomplete", "risky", "xfail", "xfailed", "expected failures"});
    add(Kind::kTotal, {"total", "test", "tests", "tests run", "total tests run", "test completed",
                       "tests completed", "example", "examples", "run", "runs", "spec", "specs",
                       "doctest", "doctests"});
    return table;
  }();
  const auto found = kinds->find(absl::AsciiStrToLower(word));
  return found == kinds->end() ? std::nullopt : std::optional<Kind>(found->second);
}

// What a line of a known form tells.
enum Effect : unsigned {
  kCounts = 1,  // the numbers of its group, none if it has no group
  kBegins = 2,
  kEnds = 4,
  kCut = 8,  // the run ended early
};
struct Form {
  const char* runner;
  unsigned effects;
  std::optional<Kind> kind;  // of a number alone
  Pattern pattern;
};

const std::vector<Form>& Forms() {
  const auto make = [](const char* runner, unsigned effects, const char* expression,
                       std::optional<Kind> kind = std::nullopt) {
    return Form{runner, effects, kind, Pattern(expression)};
  };
  static const auto* const forms = new std::vector<Form>{};
  (void)make;
  return *forms;
}
