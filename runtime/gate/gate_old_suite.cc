#include "runtime/gate/gate_old_suite.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/allowance.h"
#include "runtime/gate/files_now.h"
#include "runtime/gate/gate_changes.h"
#include "runtime/gate/gate_tests.h"
#include "runtime/gate/old_suite_run.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kShown = 3;

std::string Shown(const std::vector<std::string>& names) {
  const size_t count = std::min(names.size(), kShown);
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(count));
  return absl::StrCat(
      ToUtf8(absl::StrJoin(first, ", ")),
      names.size() > count ? absl::StrCat(" and ", names.size() - count, " more") : "");
}

std::vector<std::string> PathsOf(const OldSuite& suite) {
  std::vector<std::string> paths;
  for (const OldSuite::File& file : suite.files) paths.push_back(file.path);
  return paths;
}

}  // namespace

// Whether files of the tests changed that the target can run, and something else as well: what the
// old tests say of the old code is known.
static bool AsksOfOldSuite(const GateState& gate, const Target& target, const OldSuite& suite,
                           const std::vector<ContentPair>& changes) {
  const auto& read = gate.StateOf(target.key).read.files;
  const auto concerns = [&](const std::string& path) {
    return IsWithin(path, target.project.root) || target.inputs.count(path) > 0 ||
           read.count(path) > 0;
  };
  std::map<std::string, const OldSuite::File*> files;
  bool any = false;
  for (const OldSuite::File& file : suite.files) {
    files[file.path] = &file;
    any |= concerns(file.path);
  }
  if (!any) return false;
  return std::any_of(changes.begin(), changes.end(), [&](const ContentPair& change) {
    const auto file = files.find(change.path);
    if (file != files.end()) return file->second->old_text != change.before;
    return concerns(change.path);
  });
}

static absl::StatusOr<std::vector<Weakening>> AskOldSuite(GateState* gate, const Target& target,
                                                          const OldSuite& suite) {
  std::vector<Weakening> broken;
  STILE_ASSIGN_OR_RETURN(const auto* const before, TestsBefore(gate, target.key));
  const TargetState& state = gate->StateOf(target.key);
  if (before == nullptr && state.verdict_before != Verdict::kPass) return broken;
  const NamedTests none;
  OldSuiteQuestion question;
  question.target = &target;
  question.suite = &suite;
  question.present = &gate->current;
  question.found = &gate->pre_run_snapshot;
  question.before = before == nullptr ? &none : &before->named;
  question.count_before = before == nullptr ? 0 : before->count;
  question.weakening = gate->options.weakening;
  const bool is_known =
      before == nullptr || !before->named.empty() || state.verdict_before == Verdict::kPass;
  if (!is_known) return broken;  // no test is named, and not all of them passed
  STILE_ASSIGN_OR_RETURN(const OldSuiteAnswer answer, RunOldSuite(gate->scratch, question));
  if (gate->options.events != nullptr && (!answer.is_told || !answer.unrun.empty())) {
    const std::vector<std::string> unrun(answer.unrun.begin(), answer.unrun.end());
    gate->options.events->Emit(LogEvent{
        .text = absl::StrCat(
            "tests of ", ToUtf8(target.key), " as they were before this run ",
            answer.is_told ? absl::StrCat("were not all run on the changed code: ", Shown(unrun))
                           : "cannot be run on the changed code",
            "; changes of these tests are judged by their source alone")});
  }
  std::map<std::string, std::vector<std::string>> by_path;
  std::map<std::string, bool> runs;
  const std::vector<std::string> changed = PathsOf(suite);
  for (const BrokenTest& test : answer.broken) {
    const std::string path = test.paths.empty() ? changed.front() : *test.paths.begin();
    Weakening removal{Weakening::Weight::kGrave, path, 0, "", "test-removed"};
    if (test.is_gone && IsAllowed(gate->options.settings.allow, removal)) continue;
    by_path[path].push_back(test.name);
    runs[path] = runs[path] || test.runs;
  }
  for (const auto& [path, names] : by_path) {
    const bool is_named = !names.front().empty();
    const bool is_one = names.size() == 1;
    const char* const fails =
        runs[path] ? (is_one ? "fails" : "fail") : (is_one ? "does not run" : "do not run");
    const std::string tests = is_named ? absl::StrCat(is_one ? "test " : "tests ", Shown(names))
                                       : absl::StrCat("the tests (", target.validator_id(), ")");
    broken.push_back(
        {Weakening::Weight::kGrave, path, 0,
         absl::StrCat(tests, ", which passed before this run, ", is_named ? fails : "fail",
                      " on the changed code, and ",
                      is_named && is_one ? "the test was" : "the tests were",
                      " changed: ", Shown(changed),
                      ". Change the code so that the tests pass as they were, or keep these tests; "
                      "of a test, only expected values may change, and only before it has failed"),
         "old-test-broken"});
  }
  return broken;
}

absl::StatusOr<std::vector<Weakening>> BrokenTests(GateState* gate) {
  std::vector<Weakening> broken;
  if (gate->options.weakening == nullptr || gate->options.settings.level != Level::kTest)
    return broken;
  std::vector<ContentPair> changes;
  bool is_read = false;
  const std::string content =
      absl::StrCat(SnapshotWithoutOutputs(*gate).RootHash(), " ", gate->red_tests.moments());
  for (const Target& target : gate->map.targets()) {
    TargetState& state = gate->StateOf(target.key);
    if (target.level != Level::kTest || target.validator == nullptr ||
        !gate->tracker.HasPassed(target.key, target.inputs)) {
      continue;
    }
    if (state.old_suite.content != content) {
      if (!std::exchange(is_read, true)) {
        STILE_ASSIGN_OR_RETURN(changes, AllChangedContents(*gate));
      }
      const OldSuite suite = gate->options.weakening->FindOldSuite(
          changes, gate->red_tests.TextsAtFailures(target.project.root),
          FilesNow(gate->current, gate->options.file_system, gate->options.workspace));
      state.old_suite.broken.clear();
      if (AsksOfOldSuite(*gate, target, suite, changes)) {
        STILE_ASSIGN_OR_RETURN(state.old_suite.broken, AskOldSuite(gate, target, suite));
        ++state.old_suite.asked;
      }
      state.old_suite.content = content;
    }
    broken.insert(broken.end(), state.old_suite.broken.begin(), state.old_suite.broken.end());
  }
  return broken;
}

}  // namespace stile
