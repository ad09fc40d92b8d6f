// Results of tests in the words of their runners. A runner is recognised by whole lines, never by a
// word somewhere; what it says of failure counts even where its numbers do not show it.
#include "validators/diagnostics/test_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;
constexpr int kMost = std::numeric_limits<int>::max();
// Of JSON over several lines: how many openings may turn out to have no end.
constexpr int kMaxOpenEnds = 16;

int Plus(int a, int b) { return a > kMost - b ? kMost : a + b; }

enum class Kind { kPassed, kFailed, kError, kSkipped, kTotal };

std::optional<Kind> KindOf(const std::string& word) {
  static const auto* const kinds = new std::map<std::string, Kind>{
      {"passed", Kind::kPassed},
      {"passing", Kind::kPassed},
      {"pass", Kind::kPassed},
      {"passes", Kind::kPassed},
      {"succeeded", Kind::kPassed},
      {"successes", Kind::kPassed},
      {"successful", Kind::kPassed},
      {"xpassed", Kind::kPassed},
      {"failed", Kind::kFailed},
      {"failing", Kind::kFailed},
      {"fail", Kind::kFailed},
      {"failure", Kind::kFailed},
      {"failures", Kind::kFailed},
      {"subtests failed", Kind::kFailed},
      {"unexpected successes", Kind::kFailed},
      {"cancelled", Kind::kFailed},
      {"aborted", Kind::kFailed},
      {"timed out", Kind::kFailed},
      {"xpass", Kind::kFailed},
      {"error", Kind::kError},
      {"errors", Kind::kError},
      {"error occurred outside of examples", Kind::kError},
      {"errors occurred outside of examples", Kind::kError},
      {"skipped", Kind::kSkipped},
      {"skip", Kind::kSkipped},
      {"skips", Kind::kSkipped},
      {"pending", Kind::kSkipped},
      {"pendings", Kind::kSkipped},
      {"todo", Kind::kSkipped},
      {"ignored", Kind::kSkipped},
      {"excluded", Kind::kSkipped},
      {"omissions", Kind::kSkipped},
      {"incomplete", Kind::kSkipped},
      {"risky", Kind::kSkipped},
      {"xfail", Kind::kSkipped},
      {"xfailed", Kind::kSkipped},
      {"expected failures", Kind::kSkipped},
      {"total", Kind::kTotal},
      {"test", Kind::kTotal},
      {"tests", Kind::kTotal},
      {"tests run", Kind::kTotal},
      {"total tests run", Kind::kTotal},
      {"tests completed", Kind::kTotal},
      {"test completed", Kind::kTotal},
      {"example", Kind::kTotal},
      {"examples", Kind::kTotal},
      {"run", Kind::kTotal},
      {"runs", Kind::kTotal},
      {"spec", Kind::kTotal},
      {"specs", Kind::kTotal},
      {"doctest", Kind::kTotal},
      {"doctests", Kind::kTotal},
  };
  const auto found = kinds->find(absl::AsciiStrToLower(word));
  return found == kinds->end() ? std::nullopt : std::optional<Kind>(found->second);
}

// The numbers of one summary.
class Run {
 public:
  Run() = default;
  // Of a list like "1 failed, 2 passed", "Failures: 1, Errors: 0" or "errors=1"; what is in
  // parentheses is left out.
  explicit Run(absl::string_view list) {
    static const auto* const parenthesis = new Pattern(R"(\([^()]*\))");
    static const auto* const before = new Pattern(R"((-?\d+) ([A-Za-z][A-Za-z ]*))");
    static const auto* const after = new Pattern(R"(([A-Za-z][A-Za-z ]*)[:=]\s*(-?\d+)\.?)");
    const std::string plain = parenthesis->Without(list);
    for (absl::string_view piece : absl::StrSplit(plain, absl::ByAnyChar(",|;"))) {
      piece = absl::StripAsciiWhitespace(piece);
      std::string word, number;
      if (!before->Matches(piece, &number, &word) && !after->Matches(piece, &word, &number)) continue;
      if (const auto kind = KindOf(word)) Add(*kind, number);
    }
  }

  Run& Add(Kind kind, const std::string& digits) {
    int number = 0;
    if (!absl::SimpleAtoi(digits, &number)) number = kMost;  // only digits come here
    if (absl::StartsWith(digits, "-")) impossible_ = true;
    int& sum = numbers_.try_emplace(kind, 0).first->second;
    sum = Plus(sum, std::max(number, 0));
    return *this;
  }
  bool Has(Kind kind) const { return numbers_.count(kind) > 0; }
  bool empty() const { return numbers_.empty(); }
  int Get(Kind kind) const { return Has(kind) ? numbers_.at(kind) : 0; }

  TestSummary Summary() const {
    TestSummary summary;
    summary.complete = !impossible_;
    summary.found = !impossible_;
    if (impossible_) return summary;
    summary.counts.failed = Get(Kind::kFailed);
    summary.counts.skipped = Get(Kind::kSkipped);
    summary.errors = Get(Kind::kError);
    const int others = Plus(Plus(summary.counts.failed, summary.errors), summary.counts.skipped);
    summary.counts.passed = Has(Kind::kPassed) ? Get(Kind::kPassed)
                                               : std::max(0, Get(Kind::kTotal) - others);
    return summary;
  }

 private:
  std::map<Kind, int> numbers_;
  bool impossible_ = false;  // a number is negative
};

// Reads the lines of an output one after the other. Each of the functions named after a runner says
// whether the line is one of its own.
class Reader {
 public:
  void Line(absl::string_view line);
  TestSummary Result();

 private:
  bool Python(absl::string_view line);
  bool JavaScript(absl::string_view line);
  bool Go(absl::string_view line);
  bool Rust(absl::string_view line);
  bool DotNet(absl::string_view line);
  bool Java(absl::string_view line);
  bool Cpp(absl::string_view line);
  bool Scripts(absl::string_view line);  // Ruby, PHP, Perl, Elixir, automake
  bool Tap(absl::string_view line);

  bool Commit(const Run& run) {
    summary_.Add(run.Summary());
    return true;
  }
  // A runner began; it is cut short if it begins again, or the output ends, before it ends.
  bool Begin(const char* runner) {
    if (!begun_.insert(runner).second) summary_.complete = false;
    return true;
  }
  void End(const char* runner) { begun_.erase(runner); }
  bool Claim() { return claims_failure_ = true; }

  TestSummary summary_;
  bool claims_failure_ = false;
  std::set<std::string> begun_;
  std::optional<std::string> unittest_total_;
  int failed_suites_ = 0;      // of jest and vitest, until they count tests
  Run bun_;                    // until it is complete
  std::optional<Run> block_;   // of vstest: a line for each number
  TestSummary maven_, classes_;  // the final lines of Maven, and those of single classes
  int gradle_passed_ = 0;
  bool gradle_succeeded_ = false;
  TestSummary ctest_;
  int ctest_skipped_ = 0;
  TestSummary go_;
  int go_packages_ = 0;
  bool go_package_failed_ = false;  // a test of the package that the lines are about
  TestSummary points_, footers_;    // of TAP, and of what node and others add to it
  int points_seen_ = 0;
  std::optional<int> points_planned_;
  bool is_tap_ = false;
};

bool Reader::Python(absl::string_view line) {
  static const auto* const pytest_begin = new Pattern(R"(=+ test session starts .*=+|=+ test session starts =+)");
  static const auto* const pytest_end = new Pattern(
      R"([=\s]*((?:-?\d+ [a-z][a-z ]*(?:, )?)+|no tests ran) in \d[\d.]*s(?: \([\d:, a-z]+\))?[=\s]*)");
  static const auto* const pytest_cut = new Pattern(R"(!{3,} .* !{3,}|INTERNALERROR>.*)");
  static const auto* const unittest_ran = new Pattern(R"(Ran (-?\d+) tests? in .*)");
  static const auto* const unittest_end =
      new Pattern(R"((OK|PASSED|FAILED|NO TESTS RAN)(?: \((.*)\))?)");
  std::string words, number;
  if (pytest_begin->Matches(line)) return Begin("pytest");
  if (pytest_end->Matches(line, &words)) {
    const Run run(words);
    if (run.empty() && words != "no tests ran" && !absl::StrContains(words, "deselected")) {
      return false;
    }
    End("pytest");
    return Commit(run);
  }
  if (pytest_cut->Matches(line)) {
    summary_.complete = false;
    return true;
  }
  if (unittest_ran->Matches(line, &number)) {
    unittest_total_ = number;
    return Begin("unittest");
  }
  if (unittest_total_.has_value() && unittest_end->Matches(line, &words, &number)) {
    if (words == "FAILED") Claim();
    Commit(Run(number).Add(Kind::kTotal, *unittest_total_));
    unittest_total_.reset();
    End("unittest");
    return true;
  }
  return false;
}

bool Reader::JavaScript(absl::string_view line) {
  static const auto* const tests = new Pattern(R"(\s*Tests(?::\s+|\s{2,})(\d.*|no tests))");
  static const auto* const suites =
      new Pattern(R"(\s*Test (?:Files\s{2,}|Suites:\s+)(.*))");
  static const auto* const vitest_begin = new Pattern(R"(\s*RUN\s+v\d.*)");
  static const auto* const errors = new Pattern(R"(\s+Errors\s{2,}(\d+ errors?))");
  static const auto* const mocha = new Pattern(R"(\s+(-?\d+ (?:passing|failing|pending))(?: \(.*\))?)");
  static const auto* const bun = new Pattern(R"(\s+(\d+ (?:pass|fail|skip|todo|errors?)))");
  static const auto* const bun_end = new Pattern(R"(Ran \d+ tests? across .*)");
  static const auto* const deno = new Pattern(R"((ok|FAILED) \| (\d+ .*))");
  static const auto* const none = new Pattern(R"(No tests? (?:files? )?found(?:, exiting with code (\d+))?.*)");
  std::string words, label;
  if (tests->Matches(line, &words)) {
    const Run run(words);
    if (run.empty() && words != "no tests") return false;
    End("vitest");
    if (run.Get(Kind::kFailed) == 0) summary_.errors = Plus(summary_.errors, failed_suites_);
    failed_suites_ = 0;
    return Commit(run);
  }
  if (suites->Matches(line, &words)) {
    failed_suites_ = Plus(failed_suites_, Run(words).Get(Kind::kFailed));
    return true;
  }
  if (vitest_begin->Matches(line)) return Begin("vitest");
  if (errors->Matches(line, &words) || mocha->Matches(line, &words)) return Commit(Run(words));
  if (bun->Matches(line, &words)) {
    const Run run(words);
    for (const Kind kind : {Kind::kPassed, Kind::kFailed, Kind::kError, Kind::kSkipped}) {
      if (run.Has(kind)) bun_.Add(kind, absl::StrCat(run.Get(kind)));
    }
    return true;
  }
  if (bun_end->Matches(line) && !bun_.empty()) return Commit(std::exchange(bun_, Run()));
  if (deno->Matches(line, &label, &words)) {
    if (label == "FAILED") Claim();
    return Commit(Run(words));
  }
  if (none->Matches(line, &words)) {
    if (!words.empty() && words != "0") Claim();
    return Commit(Run());
  }
  return false;
}

bool Reader::Go(absl::string_view line) {
  static const auto* const test = new Pattern(R"(\s*--- (PASS|FAIL|SKIP): \S.*)");
  static const auto* const passed =
      new Pattern(R"(ok(?:\s{2,}|\t)\s*\S+\s+(?:[\d.]+s|\(cached\))(.*))");
  static const auto* const failed = new Pattern(R"(FAIL\s+\S+\s+(?:[\d.]+s|(\[\w+ failed\])).*)");
  static const auto* const no_files = new Pattern(R"(\?\s+\S+\s+\[no test files\])");
  std::string words;
  if (test->Matches(line, &words)) {
    begun_.insert("go");
    go_.found = true;
    if (words == "PASS") go_.counts.passed = Plus(go_.counts.passed, 1);
    if (words == "SKIP") go_.counts.skipped = Plus(go_.counts.skipped, 1);
    if (words == "FAIL") {
      go_.counts.failed = Plus(go_.counts.failed, 1);
      go_package_failed_ = true;
    }
    return true;
  }
  if (passed->Matches(line, &words)) {
    if (!absl::StrContains(words, "[no tests to run]")) go_packages_ = Plus(go_packages_, 1);
  } else if (failed->Matches(line)) {
    if (!go_package_failed_) go_.errors = Plus(go_.errors, 1);
  } else if (line == "PASS" || line == "FAIL") {
    End("go");
    return line == "PASS" || Claim();
  } else if (!no_files->Matches(line)) {
    return false;
  }
  go_.found = true;
  go_package_failed_ = false;
  End("go");
  return true;
}

bool Reader::Rust(absl::string_view line) {
  static const auto* const begin = new Pattern(R"(running \d+ tests?)");
  static const auto* const end = new Pattern(R"(test result: (\w+)\. (.*))");
  static const auto* const failed = new Pattern(R"(test .* \.\.\. FAILED.*|error: test failed.*)");
  static const auto* const not_built = new Pattern(R"(error: could not compile .*)");
  static const auto* const nextest =
      new Pattern(R"(\s*Summary \[[^\]]*\]\s+\d+(/\d+)? tests? run: (.*))");
  std::string words, label;
  if (begin->Matches(line)) return Begin("cargo");
  if (end->Matches(line, &label, &words)) {
    End("cargo");
    if (label != "ok") Claim();
    return Commit(Run(words));
  }
  if (not_built->Matches(line)) return Commit(Run().Add(Kind::kError, "1"));
  if (nextest->Matches(line, &label, &words)) {
    if (!label.empty()) summary_.complete = false;
    return Commit(Run(words));
  }
  return failed->Matches(line) && Claim();
}

bool Reader::DotNet(absl::string_view line) {
  static const auto* const vstest = new Pattern(R"((Passed|Failed|Skipped)!\s+-\s+(.*))");
  static const auto* const summary = new Pattern(R"(\s*Test summary: (total: .*))");
  static const auto* const block =
      new Pattern(R"(Total tests: (\d+)|\s*Test run summary: (.*))");
  static const auto* const in_block = new Pattern(R"(\s+([A-Za-z]+: -?\d+))");
  static const auto* const cut =
      new Pattern(R"(Test Run (?:Failed|Aborted)\.|The active test run was aborted.*)");
  static const auto* const none = new Pattern(R"(No test matches the given testcase filter .*)");
  std::string label, words;
  if (vstest->Matches(line, &label, &words)) {
    if (label == "Failed") Claim();
    return Commit(Run(words));
  }
  if (summary->Matches(line, &words)) return Commit(Run(words));
  if (block->Matches(line, &words, &label)) {
    if (block_.has_value()) Commit(*block_);
    block_ = Run();
    if (!words.empty()) block_->Add(Kind::kTotal, words);
    return label.empty() || absl::StartsWith(label, "Passed") || Claim();
  }
  if (block_.has_value() && in_block->Matches(line, &words)) {
    const Run run(words);
    for (const Kind kind : {Kind::kPassed, Kind::kFailed, Kind::kError, Kind::kSkipped, Kind::kTotal}) {
      if (run.Has(kind)) block_->Add(kind, absl::StrCat(run.Get(kind)));
    }
    return true;
  }
  if (none->Matches(line)) return Commit(Run());
  return cut->Matches(line) && Claim();
}
