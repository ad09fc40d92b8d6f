#include "runtime/gate/gate_tests.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/gate_changes.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool HoldsWords(absl::string_view text, absl::string_view words) {
  for (size_t at = text.find(words); at != absl::string_view::npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || !IsWordByte(text[at - 1]) || !IsWordByte(words.front());
    const bool ends = end == text.size() || !IsWordByte(text[end]) || !IsWordByte(words.back());
    if (begins && ends) return true;
  }
  return false;
}

// How many tests of these functions ran before and do not run now.
int CountGone(const NamedTests& before, const NamedTests& now,
              const std::set<std::string>& functions) {
  return static_cast<int>(std::count_if(before.begin(), before.end(), [&](const auto& test) {
    return now.count(test.first) == 0 && functions.count(test.second.function) > 0;
  }));
}

}  // namespace

static absl::StatusOr<TestsTakenOut> TakenOutBelow(GateState* gate, const std::string& root);

// Whether code or a build file of the target holds the text as whole words.
static bool IsInSource(const GateState& gate, const Target& target, const std::string& text) {
  for (const auto* files : {&target.code_files, &target.project.files}) {
    for (const std::string& path : *files) {
      const auto content =
          gate.options.file_system->ReadFile(JoinPath(gate.options.workspace, path), kMaxFileBytes);
      if (content.ok() && HoldsWords(*content, text)) return true;
    }
  }
  return false;
}

std::vector<Blocker> UnmetTests(GateState* gate) {
  std::vector<Blocker> unmet;
  for (const std::string& wanted : gate->options.settings.expect_tests) {
    bool passed = false;
    bool all_passed_now = true;  // every target of tests, as it is now
    std::string found;
    for (const Target& target : gate->map.targets()) {
      if (target.level != Level::kTest) continue;
      const TargetState& state = gate->StateOf(target.key);
      if (!state.details.has_value() || !gate->tracker.HasPassed(target.key, target.inputs)) {
        all_passed_now = false;
        continue;
      }
      const PassDetails& details = *state.details;
      for (const auto& [name, test] : details.named_tests) {
        if (!IsTestNamed(name, wanted)) continue;
        passed |= test.outcome == TestOutcome::kPassed;
        if (test.outcome == TestOutcome::kFailed) found = "it failed";
        if (test.outcome == TestOutcome::kSkipped && found.empty()) found = "it was skipped";
      }
      // Runners that name no tests: all of them passed, and this is one of them.
      passed |= details.named_tests.empty() && details.tests.has_value() &&
                details.tests->passed > 0 && !details.excused_errors &&
                IsInSource(*gate, target, wanted);
    }
    if (passed && found != "it failed") continue;
    if (found.empty()) {
      found = all_passed_now ? "no test of this name ran" : "the tests have not been run";
    }
    Blocker open;
    open.root = ".";
    open.level = Level::kTest;
    open.explanation =
        absl::StrCat("the task asks for the test '", ToUtf8(wanted), "' to pass, but ", found,
                     all_passed_now || !gate->options.settings.names_tools
                         ? ""
                         : "; run code.validate with level test");
    open.validation_helps = !all_passed_now;
    unmet.push_back(std::move(open));
  }
  return unmet;
}

absl::StatusOr<const TargetState::ReferenceTests*> TestsBefore(GateState* gate,
                                                               const TargetKey& key) {
  const Target* const before = gate->AtStart(key);
  if (before == nullptr || before->validator == nullptr) return nullptr;
  auto& known = gate->StateOf(key).tests_before;
  if (!known.asked) {
    const Target& old = *before;
    const absl::StatusOr<ValidationResult> run =
        ValidateCopy(gate->scratch, *old.validator, old.project, gate->accepted_snapshot,
                     gate->options.baseline_content);
    if (absl::IsCancelled(run.status())) return run.status();
    known.asked = true;
    if (run.ok()) gate->StateOf(key).verdict_before = run->verdict;
    if (run.ok() && run->tests.has_value()) {
      known.value = {run->tests->passed + run->tests->failed, run->named_tests};
      // Red before the run: no expected value may be edited to make it green.
      if (run->tests->failed > 0) {
        gate->red_tests.RecordFailure(key, old.project.root, {});
        gate->red_tests.RecordTexts(old.project.root, {});
      }
    } else if (gate->options.events != nullptr && (!run.ok() || run->verdict != Verdict::kPass)) {
      gate->options.events->Emit(
          Warning(absl::StrCat("cannot tell which tests of ", ToUtf8(key),
                               " ran before this run, so lost tests are not noticed: ",
                               run.ok() ? ToUtf8(run->message) : run.status().message())));
    }
  }
  return known.value.has_value() ? &*known.value : nullptr;
}

absl::Status ApplyReportRule(GateState* gate, const Target& target, ValidationResult* result) {
  const bool reports =
      result->tests.has_value() && result->tests->passed + result->tests->failed > 0;
  if (target.level != Level::kTest || result->verdict != Verdict::kPass || reports) {
    return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(const auto* const before, TestsBefore(gate, target.key));
  if (before == nullptr || before->count == 0) return absl::OkStatus();
  // Tests that the changed files no longer hold are judged by what they asserted.
  STILE_ASSIGN_OR_RETURN(const TestsTakenOut taken, TakenOutBelow(gate, target.project.root));
  const int gone = before->named.empty() ? taken.count : CountGone(before->named, {}, taken.names);
  if (gone >= before->count) return absl::OkStatus();
  result->verdict = Verdict::kFail;
  result->message = absl::StrCat(
      "no test reported a result, and ", Count(static_cast<size_t>(before->count), "test"),
      " did before this run: they were not found, or the code ended the process that runs them");
  return absl::OkStatus();
}

static absl::StatusOr<TestsTakenOut> TakenOutBelow(GateState* gate, const std::string& root) {
  if (gate->options.weakening == nullptr) return TestsTakenOut();
  STILE_ASSIGN_OR_RETURN(std::vector<ContentPair> changes, ChangedContents(gate));
  changes.erase(
      std::remove_if(changes.begin(), changes.end(),
                     [&](const ContentPair& change) { return !IsWithin(change.path, root); }),
      changes.end());
  return gate->options.weakening->FindTestsTakenOut(changes);
}

absl::StatusOr<std::vector<Weakening>> LostTests(GateState* gate) {
  constexpr size_t kShown = 5;
  std::vector<Weakening> lost;
  for (const Target& target : gate->map.targets()) {
    const TargetState& state = gate->StateOf(target.key);
    if (target.level != Level::kTest || gate->options.settings.level != Level::kTest ||
        !state.details.has_value() || !gate->tracker.HasPassed(target.key, target.inputs)) {
      continue;
    }
    STILE_ASSIGN_OR_RETURN(const auto* const known, TestsBefore(gate, target.key));
    if (known == nullptr) continue;
    // Tests that the changed files no longer hold are judged by what they asserted.
    STILE_ASSIGN_OR_RETURN(const TestsTakenOut taken, TakenOutBelow(gate, target.project.root));
    const std::vector<std::string> names = TestsNoLongerRun(
        known->named, state.details->named_tests, [&](const std::string& function) {
          return taken.names.count(function) == 0 && IsInSource(*gate, target, function);
        });
    if (!names.empty()) {
      const std::vector<std::string> shown(
          names.begin(),
          names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
      lost.push_back({Weakening::Weight::kGrave, target.project.root, 0,
                      absl::StrCat(target.validator_id(), " ran ", Count(names.size(), "test"),
                                   " before this run that it does not run now (",
                                   ToUtf8(absl::StrJoin(shown, ", ")),
                                   names.size() > kShown ? ", …" : "", ")"),
                      "tests-lost"});
      continue;
    }
    const std::optional<TestCounts>& tests = state.details->tests;
    const int now = tests.has_value() ? tests->passed + tests->failed : 0;
    if (known->count <= now) continue;
    const int gone = CountGone(known->named, state.details->named_tests, taken.names);
    if (known->count - now <= std::max(taken.count, gone)) continue;
    lost.push_back({Weakening::Weight::kGrave, target.project.root, 0,
                    absl::StrCat(target.validator_id(), " ran ", Count(known->count, "test"),
                                 " before this run, and now it runs ", now),
                    "tests-lost"});
  }
  return lost;
}

absl::Status NoteRedTests(GateState* gate, const Target& target, const ValidationResult& result) {
  const bool failed = result.verdict == Verdict::kFail || result.verdict == Verdict::kTimeout;
  const bool is_red = result.tests.has_value() ? result.tests->failed > 0 : failed;
  if (target.level != Level::kTest || !is_red) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::vector<Weakening> edits, FindWeakenings(gate));
  gate->red_tests.RecordFailure(target.key, target.project.root, edits);
  STILE_ASSIGN_OR_RETURN(std::vector<ContentPair> changes, AllChangedContents(*gate));
  TextsByPath texts;
  for (ContentPair& change : changes) texts[change.path] = std::move(change.after);
  gate->red_tests.RecordTexts(target.project.root, std::move(texts));
  return absl::OkStatus();
}

}  // namespace stile
