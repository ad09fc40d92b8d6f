#include "runtime/gate/old_suite_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

using Part = OldSuite::Part;

constexpr int kMaxRunsOfStep = 4;

// How much is put back.
enum class Step { kAll, kCodeAndData, kCode };

// One copy: texts of files that differ from the present ones; nullopt: left out.
using Edits = std::map<std::string, std::optional<std::string>>;

bool IsPartOf(Part part, Step step) {
  return step == Step::kAll || part == Part::kCode ||
         (step == Step::kCodeAndData && part == Part::kData);
}

Edits EditsOf(const OldSuite& suite, Step step, bool is_old) {
  Edits edits;
  for (const OldSuite::File& file : suite.files) {
    if (!IsPartOf(file.part, step)) continue;
    edits[file.path] = is_old ? file.old_text : file.text;
  }
  return edits;
}

Snapshot WithEdits(const Snapshot& present, const Snapshot& found, const Edits& edits) {
  std::vector<FileRecord> files;
  for (const FileRecord& file : present.files()) {
    const auto edit = edits.find(file.path);
    if (edit == edits.end() || edit->second.has_value()) files.push_back(file);
  }
  for (const auto& [path, text] : edits) {
    if (!text.has_value() || present.Contains(path)) continue;
    const FileRecord* const old = found.Find(path);
    if (old != nullptr) files.push_back(*old);
  }
  std::sort(files.begin(), files.end(),
            [](const FileRecord& a, const FileRecord& b) { return a.path < b.path; });
  return Snapshot(std::move(files));
}

Project WithFiles(const Project& project, const Snapshot& content, const Edits& edits) {
  Project copy = project;
  std::set<std::string> files;
  for (const std::string& path : project.files) {
    if (content.Contains(path)) files.insert(path);
  }
  for (const auto& [path, text] : edits) {
    const bool is_inside = project.root == "." || absl::StartsWith(path, project.root + "/");
    if (text.has_value() && is_inside && content.Contains(path)) files.insert(path);
  }
  copy.files.assign(files.begin(), files.end());
  return copy;
}

// Whether the run ended before the tests could, where no test is named.
bool CannotBuild(const ValidationResult& result) {
  return std::any_of(
      result.diagnostics.begin(), result.diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::kError &&
               (diagnostic.column > 0 || absl::StrContains(diagnostic.message, "undefined ref") ||
                absl::StrContains(diagnostic.message, "No rule to make") ||
                absl::StrContains(diagnostic.message, "cannot find -l"));
      });
}

class Runner {
 public:
  Runner(const ScratchContext& context, const OldSuiteQuestion& question)
      : context_(context), question_(question), present_(context.file_system, context.workspace) {}

  absl::StatusOr<OldSuiteAnswer> Run() {
    std::vector<Edits> asked;
    for (const Step step : {Step::kAll, Step::kCodeAndData, Step::kCode}) {
      for (const bool is_old : {false, true}) {
        const Edits edits = EditsOf(*question_.suite, step, is_old);
        if (edits.empty() || std::find(asked.begin(), asked.end(), edits) != asked.end()) continue;
        asked.push_back(edits);
        STILE_ASSIGN_OR_RETURN(const bool is_told, RunStep(edits));
        if (!is_told) continue;
        if (!is_old && !answer_.broken.empty()) STILE_RETURN_IF_ERROR(AskWithOldValues(step));
        return std::move(answer_);
      }
    }
    answer_.is_told = false;
    answer_.broken.clear();
    return std::move(answer_);
  }

 private:
  absl::StatusOr<ValidationResult> RunCopy(const Edits& edits) {
    const Snapshot content = WithEdits(*question_.present, *question_.found, edits);
    std::map<std::string, std::string> texts;
    for (const auto& [path, text] : edits) {
      if (text.has_value()) texts[path] = *text;
    }
    ContentOverlay overlay(&present_, &texts);
    const Target& target = *question_.target;
    return ValidateCopy(context_, *target.validator, WithFiles(target.project, content, edits),
                        content, &overlay);
  }

  // Whether the copy told something; what it told is in answer_.
  absl::StatusOr<bool> RunStep(Edits edits) {
    answer_ = OldSuiteAnswer();
    taken_out_.clear();
    for (int run = 0; run < kMaxRunsOfStep; ++run) {
      const absl::StatusOr<ValidationResult> result = RunCopy(edits);
      if (absl::IsCancelled(result.status())) return result.status();
      if (!result.ok() || result->verdict == Verdict::kInfraError ||
          result->verdict == Verdict::kNoValidator) {
        return false;
      }
      const std::vector<BrokenTest> failed = FailedIn(*result);
      const std::vector<BrokenTest> lost = LostIn(*result);
      if (!failed.empty() || (lost.empty() && !IsUnbuilt(*result))) {
        answer_.broken = failed;
        // Programs that name no tests cannot be judged in part.
        return !question_.before->empty() || taken_out_.empty();
      }
      if (!TakeOut(*result, &edits)) {
        if (IsUnbuilt(*result) || result->named_tests.empty() || !result->diagnostics.empty()) {
          return false;
        }
        answer_.broken = lost;
        return true;
      }
    }
    return false;
  }

  bool IsUnbuilt(const ValidationResult& result) const {
    return question_.before->empty() && result.verdict == Verdict::kFail && CannotBuild(result);
  }

  std::vector<BrokenTest> FailedIn(const ValidationResult& result) {
    std::vector<BrokenTest> broken;
    if (result.verdict == Verdict::kTimeout) return {BrokenTest()};
    if (question_.before->empty()) {
      const int now = result.tests.has_value() ? result.tests->passed : 0;
      const bool is_broken = result.verdict == Verdict::kFail ||
                             (result.verdict == Verdict::kPass && now < question_.count_before);
      if (is_broken && !CannotBuild(result)) broken.emplace_back();
      return broken;
    }
    for (const std::string& name : CompareOutcomes(*question_.before, result.named_tests).failed) {
      BrokenTest test = Named(name, question_.before->at(name).function);
      if (IsJudged(name, question_.before->at(name).function)) broken.push_back(std::move(test));
    }
    return broken;
  }

  std::vector<BrokenTest> LostIn(const ValidationResult& result) {
    std::vector<BrokenTest> broken;
    for (const std::string& name : CompareOutcomes(*question_.before, result.named_tests).lost) {
      BrokenTest test = Named(name, name);
      test.runs = false;
      if (IsJudged(name, name)) broken.push_back(std::move(test));
    }
    return broken;
  }

  std::vector<const OldSuite::Test*> TestsOf(const std::string& name,
                                             const std::string& function) const {
    std::vector<const OldSuite::Test*> tests;
    for (const OldSuite::Test& test : question_.suite->tests) {
      if (test.name == function || test.name == name || test.name == FunctionOfTest(name)) {
        tests.push_back(&test);
      }
    }
    return tests;
  }

  BrokenTest Named(const std::string& name, const std::string& function) const {
    BrokenTest broken;
    broken.name = name;
    const auto tests = TestsOf(name, function);
    broken.is_gone = !tests.empty();
    for (const OldSuite::Test* test : tests) {
      broken.paths.insert(test->path);
      broken.is_gone &= test->is_gone;
    }
    return broken;
  }

  // False where the test may break, or was taken out of the copy.
  bool IsJudged(const std::string& name, const std::string& function) {
    const auto tests = TestsOf(name, function);
    if (tests.empty()) return true;
    std::string why;
    for (const OldSuite::Test* test : tests) {
      const auto taken = taken_out_.find(test->path);
      const bool is_out = taken != taken_out_.end() &&
                          (taken->second.empty() || taken->second.count(test->name) > 0);
      if (!is_out && test->may_break.empty()) return true;
      why = is_out ? "it cannot be built" : test->may_break;
    }
    answer_.unrun.insert(absl::StrCat(ToUtf8(function), " (", why, ")"));
    return false;
  }

  // Takes the tests out of the copy in which errors are reported, or whole files of tests, whose
  // present ones stay then. Returns whether there was one.
  bool TakeOut(const ValidationResult& result, Edits* edits) {
    bool any = false;
    Edits changed = *edits;
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.severity != Severity::kError) continue;
      const auto file =
          std::find_if(question_.suite->files.begin(), question_.suite->files.end(),
                       [&](const OldSuite::File& one) { return one.path == diagnostic.file; });
      const auto edit = changed.find(diagnostic.file);
      if (file == question_.suite->files.end() || file->part != Part::kCode ||
          edit == changed.end() || !edit->second.has_value()) {
        continue;
      }
      const auto without = diagnostic.line > 0 ? question_.weakening->WithoutTestAt(
                                                     file->path, *edit->second, diagnostic.line)
                                               : std::nullopt;
      any = true;
      if (without.has_value()) {
        taken_out_[file->path].insert(without->name);
        edit->second = without->text;
        continue;
      }
      if (edits->at(file->path) != edit->second) continue;  // something of it is out already
      taken_out_[file->path] = {};
      changed.erase(edit);
    }
    if (!any) return false;
    const bool lacks_file = std::any_of(taken_out_.begin(), taken_out_.end(),
                                        [](const auto& entry) { return entry.second.empty(); });
    if (lacks_file) {  // what they need may stand in a new file
      for (const OldSuite::File& file : question_.suite->files) {
        if (file.part == Part::kCode && !file.text.has_value()) changed.erase(file.path);
        const bool is_out = taken_out_.count(file.path) > 0 && taken_out_.at(file.path).empty();
        if (is_out && !question_.present->Contains(file.path)) changed[file.path] = std::nullopt;
      }
    }
    if (changed == *edits) return false;
    *edits = std::move(changed);
    return true;
  }

  // Present values may not fit into old tests, where these were written anew: what fails with
  // either is broken.
  absl::Status AskWithOldValues(Step step) {
    Edits edits = EditsOf(*question_.suite, step, /*is_old=*/true);
    if (edits == EditsOf(*question_.suite, step, /*is_old=*/false)) return absl::OkStatus();
    const OldSuiteAnswer first = answer_;
    STILE_ASSIGN_OR_RETURN(const bool is_told, RunStep(std::move(edits)));
    std::vector<BrokenTest> both;
    for (const BrokenTest& test : first.broken) {
      const bool again =
          std::any_of(answer_.broken.begin(), answer_.broken.end(),
                      [&test](const BrokenTest& other) { return other.name == test.name; });
      if (again || !is_told) both.push_back(test);
    }
    answer_ = first;
    answer_.broken = std::move(both);
    return absl::OkStatus();
  }

  const ScratchContext& context_;
  const OldSuiteQuestion& question_;
  WorkspaceContent present_;
  OldSuiteAnswer answer_;
  // By file the tests that are left out of the copy; none named: all.
  std::map<std::string, std::set<std::string>> taken_out_;
};

}  // namespace

OldTestOutcomes CompareOutcomes(const NamedTests& before, const NamedTests& in_copy) {
  OldTestOutcomes outcomes;
  std::set<std::string> running;
  for (const auto& [name, test] : in_copy) {
    if (test.outcome != TestOutcome::kSkipped) running.insert(test.function);
  }
  std::set<std::string> lost;
  for (const auto& [name, test] : before) {
    // Runners name files by where they lie, and copies lie elsewhere.
    if (test.outcome != TestOutcome::kPassed || absl::StartsWith(name, "/")) continue;
    const auto found = in_copy.find(name);
    if (found != in_copy.end() && found->second.outcome == TestOutcome::kFailed) {
      outcomes.failed.push_back(name);
    } else if (!test.function.empty() && running.count(test.function) == 0) {
      lost.insert(test.function);
    }
  }
  outcomes.lost.assign(lost.begin(), lost.end());
  return outcomes;
}

absl::StatusOr<OldSuiteAnswer> RunOldSuite(const ScratchContext& context,
                                           const OldSuiteQuestion& question) {
  return Runner(context, question).Run();
}

}  // namespace stile
