#include "runtime/gate/planted_failures.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr int kMaxRuns = 3;
constexpr size_t kMaxFileBytes = size_t{4} << 20;

bool IsBuildError(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::kError &&
         (diagnostic.column > 0 || absl::StrContains(diagnostic.message, "undefined ref"));
}

// Whether a compiler stopped the run before its tests.
bool IsUnbuilt(const ValidationResult& result) {
  const bool has_run =
      !result.named_tests.empty() ||
      (result.tests.has_value() && result.tests->passed + result.tests->failed > 0);
  return result.verdict == Verdict::kFail && !has_run &&
         std::any_of(result.diagnostics.begin(), result.diagnostics.end(), IsBuildError);
}

std::string WhyNot(const ValidationResult& result) {
  return absl::StrCat(VerdictName(result.verdict),
                      result.message.empty() ? "" : absl::StrCat(": ", result.message));
}

absl::StatusOr<std::map<std::string, PlantedFile>> Plant(const PlantedQuestion& question) {
  std::map<std::string, PlantedFile> files;
  const Target& target = *question.target;
  std::set<std::string> paths(target.code_files.begin(), target.code_files.end());
  for (const auto& [path, hash] : target.inputs) paths.insert(path);
  for (const std::string& path : paths) {
    const FileRecord* const file = question.content->Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular || file->size > kMaxFileBytes) {
      continue;
    }
    if (!question.weakening->HoldsTests(path)) continue;
    const absl::StatusOr<std::string> text = question.source->Read(*file);
    if (absl::IsCancelled(text.status())) return text.status();
    if (!text.ok()) continue;
    std::optional<PlantedFile> planted = question.weakening->PlantFailures(path, *text);
    if (planted.has_value()) files[path] = *std::move(planted);
  }
  return files;
}

}  // namespace

std::string PlantedRun::PathOf(const NamedTest& test) const {
  if (left_out.count(test.function) > 0) return "";
  for (const auto& [path, file] : files) {
    if (file.tests.count(test.function) > 0) return path;
  }
  return "";
}

bool PlantedRun::HasPassed() const {
  return result.has_value() && result->verdict != Verdict::kFail;
}

absl::StatusOr<PlantedRun> RunPlanted(const ScratchContext& context,
                                      const PlantedQuestion& question) {
  PlantedRun run;
  STILE_ASSIGN_OR_RETURN(run.files, Plant(question));
  ScratchContext once = context;
  once.failure_is_expected = true;
  for (int attempt = 0; attempt < kMaxRuns && !run.files.empty(); ++attempt) {
    std::map<std::string, std::string> texts;
    for (const auto& [path, file] : run.files) texts[path] = file.text;
    ContentOverlay overlay(question.source, &texts);
    absl::StatusOr<ValidationResult> result = ValidateCopy(
        once, *question.target->validator, question.target->project, *question.content, &overlay);
    if (absl::IsCancelled(result.status())) return result.status();
    run.why = result.ok() ? WhyNot(*result) : std::string(result.status().message());
    const bool says_something = result.ok() && (result->verdict == Verdict::kPass ||
                                                result->verdict == Verdict::kFlakyPass ||
                                                result->verdict == Verdict::kFail);
    if (!says_something) return run;
    if (!IsUnbuilt(*result)) {
      run.why.clear();
      run.result = *std::move(result);
      return run;
    }
    bool any = false;
    for (const Diagnostic& diagnostic : result->diagnostics) {
      const auto file = run.files.find(diagnostic.file);
      if (!IsBuildError(diagnostic) || file == run.files.end()) continue;
      run.left_out.insert(file->second.tests.begin(), file->second.tests.end());
      run.files.erase(file);
      any = true;
    }
    run.why = absl::StrCat("they cannot be built: ", result->message);
    if (!any) break;
  }
  return run;
}

std::vector<std::string> PassedWithPlants(const NamedTests& plain, const PlantedRun& planted) {
  std::vector<std::string> names;
  if (!planted.result.has_value()) return names;
  for (const auto& [name, test] : plain) {
    if (test.outcome != TestOutcome::kPassed || planted.left_out.count(test.function) > 0) continue;
    const auto now = planted.result->named_tests.find(name);
    if (now == planted.result->named_tests.end() || now->second.outcome != TestOutcome::kPassed) {
      continue;
    }
    names.push_back(name);
  }
  return names;
}

UnfailingTests JudgePlanted(const NamedTests& plain, const PlantedRun& planted,
                            const PlantedReference* reference) {
  UnfailingTests unfailing;
  const std::vector<std::string> passed = PassedWithPlants(plain, planted);
  const bool all_passed = planted.HasPassed();
  const PlantedRun* const before = reference == nullptr ? nullptr : reference->planted;
  const bool is_told = before != nullptr && before->result.has_value();
  // Tests that no plant is known for can be compared where the others are the same.
  const bool is_same_suite =
      is_told && std::all_of(before->files.begin(), before->files.end(), [&](const auto& entry) {
        const auto now = planted.files.find(entry.first);
        return now != planted.files.end() && now->second.text == entry.second.text;
      });
  bool any_failed_before = false;  // of those that pass now
  for (const std::string& name : passed) {
    const bool is_planted = !planted.PathOf(plain.at(name)).empty();
    const auto was =
        reference == nullptr ? NamedTests::const_iterator() : reference->plain->find(name);
    const bool was_there = reference != nullptr && was != reference->plain->end() &&
                           was->second.outcome == TestOutcome::kPassed;
    if (!was_there) {
      if (is_planted && all_passed) unfailing.names.push_back(name);
      continue;
    }
    if (!is_told || (!is_planted && !is_same_suite)) continue;
    const auto then = before->result->named_tests.find(name);
    const bool has_failed =
        then != before->result->named_tests.end() && then->second.outcome == TestOutcome::kFailed;
    if (!has_failed) continue;
    any_failed_before = true;
    unfailing.names.push_back(name);
  }
  if (!all_passed || any_failed_before) return unfailing;
  // No test is named that failed, and none did.
  const bool has_programs = std::any_of(planted.files.begin(), planted.files.end(),
                                        [](const auto& entry) { return entry.second.is_program; });
  if (reference == nullptr) return unfailing;
  const bool failed_before = is_told && before->result->verdict == Verdict::kFail;
  unfailing.any = reference->has_passed ? failed_before : has_programs;
  return unfailing;
}

}  // namespace stile
