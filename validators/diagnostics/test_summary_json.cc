// Results of tests as JSON. Reporters agree on words more than on shapes, so objects are read by
// what their keys mean.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "validators/diagnostics/test_numbers.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;
constexpr int kMost = std::numeric_limits<int>::max();

// Whether `word` is one of `words`.
template <size_t N>
bool IsOneOf(absl::string_view word, const std::array<absl::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsFailureWord(absl::string_view word) {
  static constexpr std::array<absl::string_view, 17> kWords = {
      "fail",      "failed",   "failing", "failure",   "failures",    "error",
      "errored",   "broken",   "timeout", "timed_out", "timedout",    "aborted",
      "cancelled", "canceled", "crashed", "red",       "interrupted",
  };
  return IsOneOf(absl::AsciiStrToLower(word), kWords);
}

bool IsSkipWord(absl::string_view word) {
  static constexpr std::array<absl::string_view, 9> kWords = {
      "skip", "skipped", "pending", "todo", "disabled", "ignored", "xfailed", "not_run", "notrun"};
  return IsOneOf(absl::AsciiStrToLower(word), kWords);
}

// A count as a number of JSON: kMost beyond an int, nullopt for a negative number or a fraction.
std::optional<int> NumberOf(const Json& number) {
  if (number.is_number_unsigned()) {
    return static_cast<int>(std::min<uint64_t>(number.get<uint64_t>(), kMost));
  }
  const double value = number.get<double>();
  if (!std::isfinite(value) || value < 0 || value != std::floor(value)) return std::nullopt;
  return value >= kMost ? kMost : static_cast<int>(value);
}

// The same for a string, as JavaScript's Number() has it, which no empty string and nothing
// infinite counts for here.
std::optional<int> NumberOf(const std::string& text) {
  double value = 0;
  return absl::SimpleAtod(text, &value) ? NumberOf(Json(value)) : std::nullopt;
}

bool IsEmpty(const Json& value) {
  return value.is_null() || value == false || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_number() && value == 0);
}

// Whether an object says of itself that it failed, beside any counts.
bool ClaimsFailure(const Json& object) {
  for (const char* key : {"success", "ok", "ready", "passed", "pass", "successful"}) {
    if (JsonBool(object, key) == false) return true;
  }
  for (const char* key : {"failed", "timedOut", "timed_out", "wasInterrupted", "aborted",
                          "interrupted", "cancelled", "canceled"}) {
    if (JsonBool(object, key) == true) return true;
  }
  for (const char* key : {"status", "outcome", "result", "verdict", "conclusion", "state"}) {
    if (IsFailureWord(JsonString(object, key).value_or(""))) return true;
  }
  for (const char* key : {"exitCode", "exit_code", "exitcode", "exitStatus", "exit_status",
                          "returncode", "signal", "error"}) {
    const Json* value = JsonMember(object, key);
    if (value != nullptr && !IsEmpty(*value)) return true;
  }
  // Of a process, beside what it wrote; elsewhere they mean anything.
  for (const char* key : {"code", "status"}) {
    const Json* value = JsonMember(object, key);
    if (value != nullptr && value->is_number() && *value != 0 && JsonMember(object, "stdout")) {
      return true;
    }
  }
  // As numbers and lists they count; as anything else they say that there is something.
  for (const char* key : {"errors", "failures", "failed"}) {
    const Json* value = JsonMember(object, key);
    if (value != nullptr && value->is_object() && !value->empty()) return true;
  }
  return JsonString(object, "errors").value_or("") != "";
}

// How the tests in a list ended, as far as they say.
struct Cases {
  int all = 0;
  int failed = 0;
  int skipped = 0;

  void Read(const Json& test) {
    all = SaturatingSum(all, 1);
    bool is_failure = false;
    bool is_skip = false;
    if (test.is_string()) {
      is_failure = IsFailureWord(test.get_ref<const std::string&>());
      is_skip = IsSkipWord(test.get_ref<const std::string&>());
    } else if (test.is_boolean()) {
      is_failure = !test.get<bool>();
    } else if (test.is_object()) {
      is_failure = ClaimsFailure(test);
      for (const char* key : {"errors", "failures", "failed"}) {
        const Json* value = JsonMember(test, key);
        is_failure = is_failure || (value != nullptr && !IsEmpty(*value));
      }
      for (const char* key : {"status", "outcome", "result", "state"}) {
        is_skip = is_skip || IsSkipWord(JsonString(test, key).value_or(""));
      }
      is_skip = is_skip || JsonBool(test, "skipped") == true || JsonBool(test, "skip") == true;
    }
    if (is_failure) {
      failed = SaturatingSum(failed, 1);
    } else if (is_skip) {
      skipped = SaturatingSum(skipped, 1);
    }
  }
};

// The counts that one object has among its own members.
class ObjectCounts {
 public:
  // `reads_maps`: whether an object in the place of a list of tests is one, from names to results.
  ObjectCounts(const Json& object, bool reads_maps) : object_(object) {
    ReadEither(&passed_, {"passed", "passes", "passing", "pass", "succeeded", "successes",
                          "numPassedTests", "expected"});
    ReadAll(&passed_, {"xpassed"});
    ReadEither(&failed_, {"failed", "failures", "failing", "fail", "failure_count",
                          "numFailedTests", "unexpected"});
    ReadAll(&errors_, {"error", "errors", "numRuntimeErrorTestSuites", "broken", "timedOut",
                       "errors_outside_of_examples_count", "cancelled", "crashed"});
    ReadAll(&skipped_, {"skipped", "pending", "todo", "ignored", "disabled", "xfailed",
                        "pending_count", "numPendingTests", "numTodoTests"});
    ReadEither(&total_, {"total", "tests", "count", "results", "cases", "testCount",
                         "example_count", "numTotalTests"});
    for (const char* key : {"results", "cases", "tests"}) {
      const Json* list = JsonMember(object, key);
      if (list == nullptr || !list->is_structured()) continue;
      if (list->is_object()) {
        if (!reads_maps) continue;
        const ObjectCounts within(*list, false);
        if (within.passed_.has_value() || within.total_.has_value()) {
          ReadWithin(within);
          continue;
        }
      }
      Cases cases;
      for (const Json& test : *list) cases.Read(test);
      cases_.all = std::max(cases_.all, cases.all);
      cases_.failed = std::max(cases_.failed, cases.failed);
      cases_.skipped = std::max(cases_.skipped, cases.skipped);
      has_cases_ = true;
    }
    const auto suites = Read("numFailedTestSuites");
    if (failed_.value_or(0) == 0 && errors_.value_or(0) == 0) errors_ = suites;
  }

  // A count that cannot be: negative, a fraction, no number.
  bool impossible() const { return impossible_; }
  int failed() const { return std::max(failed_.value_or(0), cases_.failed); }
  int errors() const { return errors_.value_or(0); }

  // Not found where the counts are no proof of tests that ran. `ready`: the verdict of a gate,
  // which is one.
  TestSummary Summary(std::optional<bool> ready = std::nullopt) const {
    TestSummary summary;
    const bool has_total = total_.has_value() || has_cases_;
    const bool is_result = failed_.has_value()
                               ? ready.has_value() || passed_.has_value() || has_total
                               : passed_.has_value() && total_.has_value();
    summary.found = is_result && !impossible_;
    summary.complete = !is_result || !impossible_;
    if (!summary.found) return summary;
    summary.counts.failed = failed();
    summary.counts.skipped = std::max(skipped_.value_or(0), cases_.skipped);
    summary.errors = errors();
    const int others =
        SaturatingSum(SaturatingSum(summary.counts.failed, summary.errors), summary.counts.skipped);
    if (passed_.has_value()) {
      summary.counts.passed = *passed_;
      // A test of which nothing is said did not pass.
      if (SaturatingSum(*passed_, others) < total_.value_or(0)) summary.complete = false;
    } else if (has_total) {
      summary.counts.passed = std::max(0, total_.value_or(cases_.all) - others);
    } else {
      summary.counts.passed = *ready ? 1 : 0;
    }
    return summary;
  }

 private:
  // nullopt where the member is no count, 0 where it is an impossible one.
  std::optional<int> Read(const char* key) {
    const Json* value = JsonMember(object_, key);
    if (value == nullptr) return std::nullopt;
    const bool is_failures = absl::string_view(key) == "failures";
    std::optional<int> count;
    if (value->is_number()) {
      count = NumberOf(*value);
    } else if (value->is_string() && is_failures) {
      count = NumberOf(value->get_ref<const std::string&>());
    } else if (value->is_array()) {
      // A list of tests is no count beside one; see Summary.
      if (IsList(key)) return std::nullopt;
      return static_cast<int>(std::min<size_t>(value->size(), kMost));
    } else {
      return std::nullopt;
    }
    if (!count.has_value()) impossible_ = true;
    return count.value_or(0);
  }
  static bool IsList(absl::string_view key) {
    return key == "results" || key == "cases" || key == "tests";
  }

  void ReadWithin(const ObjectCounts& within) {
    if (!passed_.has_value()) passed_ = within.passed_;
    if (!total_.has_value()) total_ = within.total_;
    if (!skipped_.has_value()) skipped_ = within.skipped_;
    failed_ = std::max(failed_, within.failed_);
    errors_ = std::max(errors_, within.errors_);
    impossible_ = impossible_ || within.impossible_;
  }

  // Different words for one number.
  void ReadEither(std::optional<int>* count, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (const auto read = Read(key)) *count = std::max(count->value_or(0), *read);
    }
  }
  // Numbers of their own.
  void ReadAll(std::optional<int>* count, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (const auto read = Read(key)) *count = SaturatingSum(count->value_or(0), *read);
    }
  }

  const Json& object_;
  std::optional<int> passed_, failed_, errors_, skipped_, total_;
  Cases cases_;
  bool has_cases_ = false;
  bool impossible_ = false;
};

// The report of `stile validate --json`: a result where the level test was judged.
TestSummary FromValidation(const Json& report, const Json& targets) {
  TestSummary summary;
  const auto passed = [](const Json& judged) {
    const std::string verdict = JsonString(judged, "verdict").value_or("");
    return verdict == "pass" || verdict == "removed";
  };
  bool all_passed = passed(report);
  for (const Json& target : targets) {
    all_passed = all_passed && passed(target);
    const Json* tests = JsonMember(target, "tests");
    if (tests != nullptr) {
      summary.Add(ObjectCounts(*tests, false).Summary());
    } else if (JsonString(target, "level") == "test") {
      summary.found = summary.found || JsonString(target, "verdict") != "no_validator";
    }
  }
  // A failed test is one of the errors.
  const Json* errors = JsonMember(report, "errorCount");
  if (summary.found && summary.counts.failed == 0 && errors != nullptr && errors->is_number()) {
    summary.errors = SaturatingSum(summary.errors, NumberOf(*errors).value_or(1));
  }
  if (!all_passed && summary.failures() <= 0) summary.complete = false;
  return summary;
}

// `go test -json`: an event each.
TestSummary FromGoEvents(const Json& events) {
  TestSummary summary;
  std::set<std::pair<std::string, std::string>> running;
  std::map<std::string, int> failed_tests;  // by package
  int builds_failed = 0;
  int packages_failed = 0;  // outside of any test
  for (const Json& event : events) {
    const std::string action = JsonString(event, "Action").value_or("");
    const std::string package = JsonString(event, "Package").value_or("");
    const std::string test = JsonString(event, "Test").value_or("");
    if (action == "build-fail") ++builds_failed;
    if (action == "run" || action == "start") running.insert({package, test});
    if (action != "pass" && action != "fail" && action != "skip") continue;
    summary.found = true;
    running.erase({package, test});
    if (test.empty()) {
      if (action == "fail" && failed_tests[package] == 0) ++packages_failed;
    } else if (action == "pass") {
      summary.counts.passed = SaturatingSum(summary.counts.passed, 1);
    } else if (action == "skip") {
      summary.counts.skipped = SaturatingSum(summary.counts.skipped, 1);
    } else {
      summary.counts.failed = SaturatingSum(summary.counts.failed, 1);
      ++failed_tests[package];
    }
  }
  // Packages whose tests do not build fail, too; older versions say that in plain lines only.
  summary.errors = std::max(builds_failed, packages_failed);
  summary.found = summary.found || builds_failed > 0 || !running.empty();
  summary.complete = running.empty();
  return summary;
}

TestSummary FromObject(const Json& object, int depth) {
  const Json* targets = JsonMember(object, "targets");
  if (targets != nullptr && targets->is_array() && JsonString(object, "verdict").has_value()) {
    return FromValidation(object, *targets);
  }
  // Counts that lie one level below.
  TestSummary summary;
  for (const char* key : {"summary", "stats", "totals", "counts", "results", "tests"}) {
    const Json* member = JsonMember(object, key);
    if (member != nullptr && member->is_object())
      summary.Add(SummarizeTestJson(*member, depth + 1));
  }
  const ObjectCounts counts(object, !summary.found);
  if (!summary.found) {
    summary.Add(counts.Summary(JsonBool(object, "ready")));
  } else {
    summary.counts.failed = std::max(summary.counts.failed, counts.failed());
    summary.errors = std::max(summary.errors, counts.errors());
    if (counts.impossible()) summary.found = summary.complete = false;
  }
  // What a step printed, beside or instead of counts.
  for (const char* key : {"output", "stdout", "stderr", "text", "raw"}) {
    const Json* member = JsonMember(object, key);
    if (member == nullptr) continue;
    const TestSummary printed = SummarizeTestJson(*member, depth + 1);
    if (!summary.found || !printed.complete || printed.failures() > 0) summary.Add(printed);
  }
  if (ClaimsFailure(object) && summary.failures() <= 0) summary.complete = false;
  return summary;
}

}  // namespace

TestSummary SummarizeTestJson(const Json& value, int depth) {
  TestSummary summary;
  if (depth > kMaxDepth) return summary;
  if (value.is_string()) return SummarizeTestText(value.get_ref<const std::string&>(), depth + 1);
  if (value.is_array()) {
    bool has_events = false;
    for (const Json& element : value) {
      if (JsonString(element, "Action").has_value()) {
        has_events = true;
      } else {
        summary.Add(SummarizeTestJson(element, depth + 1));
      }
    }
    if (has_events) summary.Add(FromGoEvents(value));
  } else if (value.is_object()) {
    return JsonString(value, "Action").has_value() ? FromGoEvents(Json::array({value}))
                                                   : FromObject(value, depth);
  }
  return summary;
}

}  // namespace stile
