// The part of the gate that runs the tests that were found on the code that the run leaves.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/allowance.h"
#include "runtime/gate/files_now.h"
#include "runtime/gate/gate.h"
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

// Of all regular files, whatever their names. Files whose content was not kept are left out: they
// cannot be put back.
absl::StatusOr<std::vector<ContentPair>> Gate::AllChangedContents() const {
  constexpr size_t kMaxBytes = size_t{16} << 20;  // of one file
  std::vector<ContentPair> changes;
  for (const FileChange& change : DiffSnapshots(pre_run_snapshot_, current_)) {
    const FileRecord* before = pre_run_snapshot_.Find(change.path);
    const FileRecord* after = current_.Find(change.path);
    const auto fits = [](const FileRecord* file) {
      return file == nullptr ||
             (file->kind == FileRecord::Kind::kRegular && file->size <= kMaxBytes);
    };
    if (IsOutput(change.path) || !fits(before) || !fits(after)) continue;
    if (after == nullptr && BelongsToRemovedTarget(change.path)) continue;
    ContentPair pair;
    pair.path = change.path;
    if (before != nullptr) {
      absl::StatusOr<std::string> content = options_.baseline_content->Read(*before);
      if (absl::IsNotFound(content.status())) continue;
      STILE_RETURN_IF_ERROR(content.status());
      pair.before = *std::move(content);
    }
    if (after != nullptr) {
      absl::StatusOr<std::string> content =
          options_.file_system->ReadFile(JoinPath(options_.workspace, change.path), kMaxBytes);
      if (!content.ok()) continue;  // gone by now
      pair.after = *std::move(content);
    }
    changes.push_back(std::move(pair));
  }
  return changes;
}

// Whether files of the tests changed that the target can run, and something else as well: what the
// old tests say of the old code is known.
bool Gate::AsksOfOldSuite(const Target& target, const OldSuite& suite,
                          const std::vector<ContentPair>& changes) const {
  const auto& read = StateOf(target.key).read.files;
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

absl::StatusOr<std::vector<Weakening>> Gate::AskOldSuite(const Target& target,
                                                         const OldSuite& suite) {
  std::vector<Weakening> broken;
  STILE_ASSIGN_OR_RETURN(const auto* const before, TestsBefore(target.key));
  const TargetState& state = StateOf(target.key);
  if (before == nullptr && state.verdict_before != Verdict::kPass) return broken;
  const NamedTests none;
  OldSuiteQuestion question;
  question.target = &target;
  question.suite = &suite;
  question.present = &current_;
  question.found = &pre_run_snapshot_;
  question.before = before == nullptr ? &none : &before->named;
  question.count_before = before == nullptr ? 0 : before->count;
  question.weakening = options_.weakening;
  const bool is_known =
      before == nullptr || !before->named.empty() || state.verdict_before == Verdict::kPass;
  if (!is_known) return broken;  // no test is named, and not all of them passed
  STILE_ASSIGN_OR_RETURN(const OldSuiteAnswer answer, RunOldSuite(scratch_, question));
  if (options_.events != nullptr && (!answer.is_told || !answer.unrun.empty())) {
    const std::vector<std::string> unrun(answer.unrun.begin(), answer.unrun.end());
    options_.events->Emit(
        EventType::kLog,
        {{"level", "info"},
         {"text", absl::StrCat("tests of ", ToUtf8(target.key), " as they were before this run ",
                               answer.is_told ? absl::StrCat("were not all run on the changed "
                                                             "code: ",
                                                             Shown(unrun))
                                              : "cannot be run on the changed code",
                               "; changes of these tests are judged by their source alone")}});
  }
  std::map<std::string, std::vector<std::string>> by_path;
  std::map<std::string, bool> runs;
  const std::vector<std::string> changed = PathsOf(suite);
  for (const BrokenTest& test : answer.broken) {
    const std::string path = test.paths.empty() ? changed.front() : *test.paths.begin();
    Weakening removal{Weakening::Weight::kGrave, path, 0, "", "test-removed"};
    if (test.is_gone && IsAllowed(options_.settings.allow, removal)) continue;
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

// Tests that passed before the run and fail on the code that it leaves, though the changed tests
// pass.
absl::StatusOr<std::vector<Weakening>> Gate::BrokenTests() {
  std::vector<Weakening> broken;
  if (options_.weakening == nullptr || options_.settings.level != Level::kTest) return broken;
  std::vector<ContentPair> changes;
  bool is_read = false;
  const std::string content = absl::StrCat(WithoutOutputs().RootHash(), " ", red_tests_.moments());
  for (const Target& target : map_.targets()) {
    TargetState& state = StateOf(target.key);
    if (target.level != Level::kTest || target.validator == nullptr ||
        !tracker_.HasPassed(target.key, target.inputs)) {
      continue;
    }
    if (state.old_suite.content != content) {
      if (!std::exchange(is_read, true)) {
        STILE_ASSIGN_OR_RETURN(changes, AllChangedContents());
      }
      const OldSuite suite = options_.weakening->FindOldSuite(
          changes, red_tests_.TextsAtFailures(target.project.root),
          FilesNow(current_, options_.file_system, options_.workspace));
      state.old_suite.broken.clear();
      if (AsksOfOldSuite(target, suite, changes)) {
        STILE_ASSIGN_OR_RETURN(state.old_suite.broken, AskOldSuite(target, suite));
        ++state.old_suite.asked;
      }
      state.old_suite.content = content;
    }
    broken.insert(broken.end(), state.old_suite.broken.begin(), state.old_suite.broken.end());
  }
  return broken;
}

}  // namespace stile
