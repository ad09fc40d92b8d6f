#include "validators/diagnostics/test_numbers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

using Kind = TestNumbers::Kind;

constexpr int kMost = std::numeric_limits<int>::max();

std::optional<Kind> KindOf(const std::string& word) {
  static const auto* const kinds = [] {
    auto* const table = new std::map<std::string, Kind>;
    const auto add = [table](Kind kind, std::initializer_list<const char*> words) {
      for (const char* each : words) table->emplace(each, kind);
    };
    add(Kind::kPassed, {"passed", "passing", "pass", "passes", "succeeded", "successes",
                        "tests successful", "xpassed"});
    add(Kind::kFailed, {"failed", "failing", "fail", "failure", "failures", "cancelled",
                        "interrupted", "timed out", "subtests failed", "tests failed",
                        "tests aborted", "containers failed", "unexpected successes", "xpass"});
    add(Kind::kError, {"error", "errors", "did not run", "error occurred outside of examples",
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

}  // namespace

int SaturatingSum(int a, int b) { return a > kMost - b ? kMost : a + b; }

TestNumbers::TestNumbers(absl::string_view list) {
  static const auto* const parentheses = new Pattern(R"(\([^()]*\))");
  static const auto* const before = new Pattern(R"(([+-]?\d+) ([A-Za-z][A-Za-z ]*))");
  static const auto* const after = new Pattern(R"(([A-Za-z][A-Za-z ]*)[:=]\s*([+-]?\d+)\.?)");
  const std::string plain = parentheses->Without(list);
  for (absl::string_view piece : absl::StrSplit(plain, absl::ByAnyChar(",|;"))) {
    piece = absl::StripAsciiWhitespace(piece);
    std::string word, number;
    if (!before->Matches(piece, &number, &word) && !after->Matches(piece, &word, &number)) continue;
    if (const auto kind = KindOf(word)) Add(*kind, number);
  }
}

TestNumbers& TestNumbers::Add(Kind kind, absl::string_view digits) {
  int number = 0;
  if (!absl::SimpleAtoi(digits, &number)) number = kMost;
  if (absl::StartsWith(digits, "-")) impossible_ = true;
  int& sum = numbers_[kind];
  sum = SaturatingSum(sum, std::max(number, 0));
  return *this;
}

TestSummary TestNumbers::Summary() const {
  TestSummary summary;
  summary.found = summary.complete = !impossible_;
  if (impossible_) return summary;
  summary.counts.failed = Get(Kind::kFailed);
  summary.counts.skipped = Get(Kind::kSkipped);
  summary.errors = Get(Kind::kError);
  const int others =
      SaturatingSum(SaturatingSum(summary.counts.failed, summary.errors), summary.counts.skipped);
  summary.counts.passed =
      Has(Kind::kPassed) ? Get(Kind::kPassed) : std::max(0, Get(Kind::kTotal) - others);
  return summary;
}

}  // namespace stile
