#include "validators/diagnostics/test_lines.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

using Kind = TestNumbers::Kind;

void Increase(int* sum, int number = 1) { *sum = SaturatingSum(*sum, number); }

// What a line of a known form tells.
enum Effect : unsigned {
  kCounts = 1,  // the numbers of its group, which may be none
  kBegins = 2,
  kEnds = 4,
  kCut = 8,  // the run ended early
};
struct Form {
  const char* runner;
  unsigned effects;
  const Pattern* pattern;  // with one group
  // What the group is the number of, 1 where it is empty. nullopt: the group is a list.
  std::optional<Kind> kind = std::nullopt;
};

const std::vector<Form>& Forms() {
  static const auto* const forms = new std::vector<Form>{
      {"pytest", kBegins, new Pattern(R"(=+ test session starts .*())")},
      {"pytest", kEnds | kCounts,
       new Pattern(R"([=\s]*((?:-?\d+ [a-z ]+, )*-?\d+ (?:passed|failed|errors?|skipped|xfailed)"
                   R"(|xpassed|deselected)(?:, -?\d+ [a-z ]+)*|no tests ran) in \d[\d.]*s)"
                   R"((?: \([\d:, a-z]+\))?[=\s]*)")},
      {"pytest", kCut, new Pattern(R"((?:!{3,} .* !{3,}|INTERNALERROR>.*)())")},
      {"vitest", kBegins, new Pattern(R"(\s*RUN\s+v\d.*())")},
      {"vitest", kCounts, new Pattern(R"(\s+Errors\s{2,}(\d+ errors?))")},
      {"jest", kCounts, new Pattern(R"(No tests? (?:files? )?found.*())")},
      {"mocha", kCounts,
       new Pattern(R"(\s+(-?\d+ (?:passing|failing|pending|pass|fail|skip|todo))(?: \(.*\))?)")},
      {"playwright", kCounts, new Pattern(R"(\s+(\d+ passed) \([\d.]+(?:ms|s|m|h)\))")},
      {"playwright", kCounts,
       new Pattern(R"(\s+(\d+ (?:failed|interrupted|timed out|skipped|did not run)))")},
      {"deno", kCounts, new Pattern(R"((?:ok|FAILED) \| (-?\d+ .*))")},
      {"cargo", kBegins, new Pattern(R"(running \d+ tests?())")},
      {"cargo", kEnds | kCounts, new Pattern(R"(test result: \w+\. (.*))")},
      {"cargo", kCounts, new Pattern(R"(error: could not compile .*())"), Kind::kError},
      {"nextest", kCut | kCounts,
       new Pattern(R"(\s*Summary \[[^\]]*\]\s+\d+/\d+ tests? run: (.*))")},
      {"nextest", kCounts, new Pattern(R"(\s*Summary \[[^\]]*\]\s+\d+ tests? run: (.*))")},
      {"dotnet", kCounts, new Pattern(R"((?:Passed|Failed|Skipped)!\s+-\s+(.*))")},
      {"dotnet", kCounts, new Pattern(R"(\s*Test summary: (total: .*))")},
      {"dotnet", kCounts, new Pattern(R"(No test matches the given testcase filter .*())")},
      {"testng", kCounts, new Pattern(R"((Total tests run: \d+, .*))")},
      {"junit", kCounts,
       new Pattern(R"(\[\s+(\d+ (?:tests (?:successful|failed|skipped|aborted))"
                   R"(|containers failed))\s+\])")},
      {"junit", kCounts, new Pattern(R"(OK \((\d+ tests?(?:, \d+ assertions?)?)\))")},
      {"phpunit", kCounts, new Pattern(R"((Tests: -?\d+, Assertions: .*))")},
      {"phpunit", kCounts, new Pattern(R"(No tests executed!())")},
      {"gtest", kBegins, new Pattern(R"(\[=+\] Running \d+ tests? from .*())")},
      {"gtest", kEnds, new Pattern(R"(\[=+\] \d+ tests? from .* ran\..*())")},
      {"gtest", kCounts, new Pattern(R"(\[  PASSED  \] (\d+) tests?\.)"), Kind::kPassed},
      {"gtest", kCounts, new Pattern(R"(\[  FAILED  \] (\d+) tests?, .*)"), Kind::kFailed},
      {"gtest", kCounts, new Pattern(R"(\[  SKIPPED \] (\d+) tests?, .*)"), Kind::kSkipped},
      {"catch2", kCounts, new Pattern(R"(All tests passed \(.* in (\d+) test cases?\))"),
       Kind::kPassed},
      {"catch2", kCounts, new Pattern(R"((?:\[doctest\] )?test cases:\s+\d+ \|(.*))")},
      {"gotestsum", kCounts, new Pattern(R"(DONE (\d+ tests?.*) in [\d.]+s)")},
      {"prove", kBegins | kCounts, new Pattern(R"(Files=\d+, (Tests=\d+,.*))")},
      {"prove", kEnds, new Pattern(R"(Result: PASS())")},
      {"stile workflow test", kCounts, new Pattern(R"((\d+ passed, \d+ failed))")},
      {"automake", kCounts, new Pattern(R"(# ((?:PASS|FAIL|XPASS|SKIP|XFAIL|ERROR):\s+\d+))")},
  };
  return *forms;
}

// Lines that say that something failed, whatever is counted elsewhere.
bool ClaimsFailure(absl::string_view line) {
  static const auto* const claims = new Pattern(
      absl::StrCat(
          "(?:",
          absl::StrJoin(
              {
                  // With a count of none it is no claim.
                  R"( ?FAIL(?:ED)?(?:[:\s]+(?:[^\s:0]|0\S).*)?[:\s!.]*)",
                  R"(ERROR \S+\.py.*)",
                  R"(FAILURES!|ERRORS!|Failed!\s.*)",
                  R"(\[  FAILED  \].*)",
                  R"(test result: FAILED.*|test .* \.\.\. FAILED.*)",
                  R"(error: (?:test failed|\d+ targets? failed).*)",
                  R"((?:\[\w+\]\s*)?BUILD (?:FAILED|FAILURE)\b.*|Build (?:FAILED\.|failed with ).*)",
                  R"(.*There (?:are|were) (?:test failures|failing tests).*)",
                  R"(\S.* > \S.* FAILED)",
                  R"(Test Run (?:Failed|Aborted)\.|The active test run was aborted.*)",
                  R"(\s*Test run summary: [^P].*)",
                  R"(The following tests FAILED:|Errors while running CTest.*)",
                  R"(No tests? .*exiting with code [1-9].*)",
                  R"(.*[Cc]overage.* (?:not met|does not meet|not reached)\b.*|Coverage failure: .*)",
                  R"(Result: (?:FAIL|NOTESTS).*)",
                  R"(g?make(?:\[\d+\])?: \*\*\* .*)",
                  R"(npm (?:ERR!|error)(?: .*)?| ?ELIFECYCLE\b.*|error Command failed.*)",
                  R"(error: script ".*" exited with code [1-9].*)",
                  R"(exit status [1-9].*)",
                  R"(Segmentation fault.*|Aborted|Killed|.*\(core dumped\).*)",
              },
              "|"),
          ")")
          .c_str());
  return claims->Matches(line);
}

}  // namespace

bool TestLines::ReadKnownForm(absl::string_view line) {
  // "3 examples, 0 failures", of many: Ruby's and Elixir's, jasmine, Gradle.
  static const auto* const plain = new Pattern(R"(\d+ [A-Za-z ]+(?:, -?\d+ [A-Za-z ]+)+)");
  for (const Form& form : Forms()) {
    std::string group;
    if (!form.pattern->Matches(line, &group)) continue;
    if (form.effects & kBegins) Begin(form.runner);
    if (form.effects & kEnds) begun_.erase(form.runner);
    if (form.effects & kCut) summary_.complete = false;
    if (form.effects & kCounts) {
      Add(form.kind.has_value() ? TestNumbers().Add(*form.kind, group.empty() ? "1" : group)
                                : TestNumbers(group));
    }
    return true;
  }
  if (!plain->Matches(line)) return false;
  const TestNumbers numbers(line);
  if (!numbers.Has(Kind::kFailed)) return false;
  if (numbers.Has(Kind::kTotal)) {
    Add(numbers);
  } else if (numbers.Get(Kind::kFailed) > 0) {
    claims_failure_ = true;
  }
  return true;
}

bool TestLines::ReadUnittest(absl::string_view line) {
  static const auto* const ran = new Pattern(R"(Ran (-?\d+) tests? in .*)");
  static const auto* const verdict =
      new Pattern(R"((?:OK|PASSED|FAILED|NO TESTS RAN)(?: \((.*)\))?)");
  std::string words;
  if (ran->Matches(line, &words)) {
    unittest_total_ = words;
    Begin("unittest");
    return true;
  }
  if (unittest_total_.empty() || !verdict->Matches(line, &words)) return false;
  Add(TestNumbers(words).Add(Kind::kTotal, unittest_total_));
  unittest_total_.clear();
  begun_.erase("unittest");
  return true;
}

// "Tests:       1 failed, 2 passed, 3 total" of jest, "Tests  1 failed | 2 passed (3)" of vitest.
// Suites fail with their tests, or, where none of those failed, by themselves.
bool TestLines::ReadSuites(absl::string_view line) {
  static const auto* const suites = new Pattern(R"(\s*Test (?:Files\s{2,}|Suites:\s+)(.*))");
  static const auto* const tests =
      new Pattern(R"(\s*Tests(?::\s+|\s{2,})(-?\d+ [a-z]+.*|no tests))");
  std::string words;
  if (suites->Matches(line, &words)) {
    Increase(&failed_suites_, TestNumbers(words).Get(Kind::kFailed));
    return true;
  }
  if (!tests->Matches(line, &words)) return false;
  const TestNumbers numbers(words);
  if (numbers.Get(Kind::kFailed) == 0) Increase(&summary_.errors, failed_suites_);
  failed_suites_ = 0;
  begun_.erase("vitest");
  Add(numbers);
  return true;
}

// `go test` counts packages; with -v it names the tests, too.
bool TestLines::ReadGo(absl::string_view line) {
  static const auto* const test = new Pattern(R"(\s*--- (PASS|FAIL|SKIP): \S.*)");
  static const auto* const passed =
      new Pattern(R"(ok(?:\s{2,}|\t)\s*\S+\s+(?:[\d.]+s|\(cached\))(.*))");
  static const auto* const failed = new Pattern(R"(FAIL\s+\S+\s+(?:[\d.]+s|\[\w+ failed\]).*)");
  static const auto* const no_files = new Pattern(R"(\?\s+\S+\s+\[no test files\])");
  std::string words;
  if (test->Matches(line, &words)) {
    begun_.insert("go");
    go_.found = true;
    if (words == "PASS") Increase(&go_.counts.passed);
    if (words == "SKIP") Increase(&go_.counts.skipped);
    if (words == "FAIL") {
      Increase(&go_.counts.failed);
      go_package_failed_ = true;
    }
    return true;
  }
  if (line == "PASS" || line == "FAIL") {
    begun_.erase("go");
    return true;
  }
  if (passed->Matches(line, &words)) {
    if (!absl::StrContains(words, "[no tests to run]")) Increase(&go_packages_);
  } else if (failed->Matches(line)) {
    if (!go_package_failed_) Increase(&go_.errors);
  } else if (!no_files->Matches(line)) {
    return false;
  }
  begun_.erase("go");
  go_.found = true;
  go_package_failed_ = false;
  return true;
}

TestSummary TestLines::GoResult() const {
  TestSummary result = go_;
  if (result.counts.passed == 0) result.counts.passed = go_packages_;
  return result;
}

// A line for each number, below a head.
bool TestLines::ReadVstest(absl::string_view line) {
  static const auto* const head = new Pattern(R"(Total tests: \d+|\s*Test run summary: .*)");
  static const auto* const number =
      new Pattern(R"(\s+((?:Passed|Failed|Skipped|failed|succeeded|skipped): \d+))");
  std::string words;
  if (head->Matches(line)) {
    in_vstest_ = true;
    Add(TestNumbers());
    return true;
  }
  if (!in_vstest_ || !number->Matches(line, &words)) return false;
  Add(TestNumbers(words));
  return true;
}

// Maven counts the tests of each class, and those of each module once more.
bool TestLines::ReadMaven(absl::string_view line) {
  static const auto* const tests = new Pattern(
      R"((?:\[\w+\]\s+)?\s*(Tests run:\s+-?\d+,\s+Failures:\s+-?\d+.*?)(,\s+Time elapsed.*)?)");
  std::string words, time;
  if (!tests->Matches(line, &words, &time)) return false;
  (time.empty() ? maven_ : maven_classes_).Add(TestNumbers(words).Summary());
  return true;
}

// Gradle counts tests only where one failed, but may be told to name them.
bool TestLines::ReadGradle(absl::string_view line) {
  static const auto* const passed = new Pattern(R"(\S.* > \S.* PASSED)");
  static const auto* const success = new Pattern(R"(BUILD SUCCESSFUL(?: in .*)?)");
  if (success->Matches(line)) {
    gradle_succeeded_ = true;
  } else if (passed->Matches(line)) {
    Increase(&gradle_passed_);
  } else {
    return false;
  }
  return true;
}

// What was skipped is part of the total, and listed below it.
bool TestLines::ReadCtest(absl::string_view line) {
  static const auto* const begin = new Pattern(R"(Test project /.*)");
  static const auto* const none = new Pattern(R"(No tests were found!+)");
  static const auto* const end =
      new Pattern(R"(\d+% tests passed, (-?\d+) tests? failed out of (-?\d+))");
  static const auto* const skipped = new Pattern(R"(\s+\d+ - .* \(Skipped\))");
  std::string failed, total;
  if (begin->Matches(line)) {
    Begin("ctest");
  } else if (end->Matches(line, &failed, &total)) {
    begun_.erase("ctest");
    ctest_.Add(TestNumbers().Add(Kind::kFailed, failed).Add(Kind::kTotal, total).Summary());
  } else if (none->Matches(line)) {
    begun_.erase("ctest");
    ctest_.found = true;
  } else if (ctest_.found && skipped->Matches(line)) {
    Increase(&ctest_skipped_);
  } else {
    return false;
  }
  return true;
}

bool TestLines::ReadTap(absl::string_view line) {
  static const auto* const head = new Pattern(R"(TAP version \d+)");
  static const auto* const plan = new Pattern(R"(1\.\.(\d+)(?:\s.*)?)");
  static const auto* const point = new Pattern(R"((not )?ok(?:\s+(\d+))?(?:\s+(.*))?)");
  static const auto* const directive = new Pattern(R"((?i)(?:^|[^\\])#\s*(todo|skip))");
  static const auto* const bail_out = new Pattern(R"(\s*Bail out!.*)");
  static const auto* const footer =
      new Pattern(R"((?:#|ℹ) (tests|pass|fail|cancelled|skipped|skip|todo)\s+(\d+))");
  std::string first, number, text;
  if (head->Matches(line)) {
    is_tap_ = true;
  } else if (plan->Matches(line, &number)) {
    is_tap_ = true;
    points_planned_ = points_planned_.value_or(0);
    Increase(&*points_planned_, TestNumbers().Add(Kind::kTotal, number).Get(Kind::kTotal));
  } else if (footer->Matches(line, &first, &number)) {
    if (first == "tests") {
      has_footers_ = true;
    } else {
      footers_.Add(TestNumbers(absl::StrCat(number, " ", first)).Summary());
    }
  } else if (bail_out->Matches(line)) {
    summary_.found = true;
    summary_.complete = false;
  } else if (line == "ok") {
    return true;  // prove says so below the points of a file
  } else if (point->Matches(line, &first, &number, &text)) {
    Increase(&points_seen_);
    if (!first.empty() && !number.empty() && !directive->IsIn(text)) claims_failure_ = true;
    points_.found = true;
    Increase(directive->IsIn(text) ? &points_.counts.skipped
             : first.empty()       ? &points_.counts.passed
                                   : &points_.counts.failed);
  } else {
    return false;
  }
  return true;
}

TestSummary TestLines::TapResult() const {
  if (!is_tap_) return has_footers_ ? footers_ : TestSummary();
  TestSummary result = points_;
  result.found = true;
  result.complete = points_planned_ == points_seen_;
  // Those count what is within a point; neither may hide a failure.
  if (has_footers_) result.counts.passed = footers_.counts.passed;
  result.counts.failed = std::max(result.counts.failed, footers_.counts.failed);
  return result;
}

void TestLines::Read(absl::string_view line) {
  // What all of the forms have one of; most lines have none.
  static const auto* const worth_a_look = new Pattern(
      R"((?i)tap version|pass|fail|err|skip|select|succe|test|ran|run|ok|done|killed|abort|fault|dump|!!!|\[=|1\.\.\d)"
      R"(|bail|build|result|make|todo|pending|cancelled|lifecycle|exit|coverage|doctest|executed)");
  if (!worth_a_look->IsIn(line)) return;
  if (ClaimsFailure(line)) claims_failure_ = true;
  (void)(ReadUnittest(line) || ReadVstest(line) || ReadSuites(line) || ReadGo(line) ||
         ReadMaven(line) || ReadGradle(line) || ReadCtest(line) || ReadKnownForm(line) ||
         ReadTap(line));
}

TestSummary TestLines::Result() {
  TestSummary result = summary_;
  Increase(&result.errors, failed_suites_);
  if (!begun_.empty()) {
    result.found = true;
    result.complete = false;
  }
  TestSummary maven = maven_.found ? maven_ : maven_classes_;
  maven.counts.failed = std::max(maven.counts.failed, maven_classes_.counts.failed);
  maven.errors = std::max(maven.errors, maven_classes_.errors);
  maven.complete = maven_.complete && maven_classes_.complete;
  TestSummary ctest = ctest_;
  ctest.counts.passed = std::max(0, ctest.counts.passed - ctest_skipped_);
  Increase(&ctest.counts.skipped, ctest_skipped_);
  TestSummary gradle;
  gradle.found = gradle_passed_ > 0;
  gradle.counts.passed = gradle_passed_;
  gradle.complete = gradle_passed_ == 0 || gradle_succeeded_;
  for (const TestSummary& each : {maven, ctest, gradle, GoResult(), TapResult()}) result.Add(each);
  if (claims_failure_ && result.failures() <= 0) result.complete = false;
  return result;
}

}  // namespace stile
