#include "runtime/validation/named_tests.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "runtime/validation/run_marks.h"

namespace stile {
namespace {

// Without what a runner appends for one set of parameters, or a place.
absl::string_view WithoutParameters(absl::string_view name) {
  if (const size_t at = name.rfind(" (line "); at != absl::string_view::npos) {
    return name.substr(0, at);
  }
  const size_t bracket = name.find_first_of("[(");
  if (bracket != absl::string_view::npos && bracket > 0) name = name.substr(0, bracket);
  // "Instance/Suite.Name/0" of GoogleTest.
  const size_t slash = name.rfind('/');
  if (slash != absl::string_view::npos && slash > 0 && slash + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(slash) + 1, name.end(),
                  [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); })) {
    name = name.substr(0, slash);
  }
  return absl::StripTrailingAsciiWhitespace(name);
}

bool EndsWithPart(absl::string_view name, absl::string_view wanted) {
  if (!absl::EndsWith(name, wanted)) return false;
  if (name.size() == wanted.size()) return true;
  return absl::string_view(".:/ >").find(name[name.size() - wanted.size() - 1]) !=
         absl::string_view::npos;
}

}  // namespace

void AddNamedTest(absl::string_view name, TestOutcome outcome, NamedTests* tests,
                  absl::string_view function, absl::string_view words) {
  if (name.empty()) return;
  const auto [entry, is_new] = tests->try_emplace(std::string(name));
  if (is_new) {
    entry->second = {outcome, function.empty() ? FunctionOfTest(name) : std::string(function)};
  } else {
    entry->second.outcome = std::max(entry->second.outcome, outcome);
  }
  entry->second.marks.merge(RunMarksIn(words));
}

std::string FunctionOfTest(absl::string_view name) {
  absl::string_view rest = WithoutParameters(name);
  for (const absl::string_view separator : {" > ", " - ", " › "}) {
    if (const size_t at = rest.rfind(separator); at != absl::string_view::npos) {
      return std::string(rest.substr(at + separator.size()));
    }
  }
  if (absl::StrContains(rest, ' ')) return std::string(rest);
  const size_t at = rest.find_last_of(".:/");
  if (at != absl::string_view::npos && at + 1 < rest.size()) rest = rest.substr(at + 1);
  return std::string(rest);
}

bool IsTestNamed(absl::string_view name, absl::string_view wanted) {
  if (wanted.empty()) return false;
  return EndsWithPart(name, wanted) || EndsWithPart(WithoutParameters(name), wanted);
}

std::vector<std::string> TestsNoLongerRun(
    const NamedTests& before, const NamedTests& now,
    const std::function<bool(const std::string& function)>& is_in_source) {
  if (now.empty()) return {};  // this run named none; counts decide
  std::set<std::string> running;
  for (const auto& [name, test] : now) {
    if (test.outcome != TestOutcome::kSkipped) running.insert(test.function);
  }
  std::set<std::string> lost;
  for (const auto& [name, test] : before) {
    if (test.outcome == TestOutcome::kSkipped || test.function.empty()) continue;
    if (running.count(test.function) == 0) lost.insert(test.function);
  }
  std::vector<std::string> found;
  std::copy_if(lost.begin(), lost.end(), std::back_inserter(found), is_in_source);
  return found;
}

}  // namespace stile
