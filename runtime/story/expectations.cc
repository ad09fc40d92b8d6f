#include "runtime/story/expectations.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Every target that did not pass, with all it had to say.
std::string Details(const ValidationReport& report) {
  std::string details;
  for (const TargetReport& target : report.targets) {
    const ValidationResult& result = target.result;
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kRemoved) continue;
    absl::StrAppend(&details, target.root, " (",
                    target.validator.empty() ? target.language : target.validator,
                    "): ", VerdictName(result.verdict),
                    result.message.empty() ? "" : absl::StrCat(": ", result.message), "\n");
    for (const Diagnostic& diagnostic : result.diagnostics) {
      absl::StrAppend(&details, FormatDiagnostic(diagnostic), "\n");
    }
    if (result.diagnostics.empty()) absl::StrAppend(&details, result.output, "\n");
  }
  return details;
}

absl::Status CheckVerdict(absl::string_view name, UnmetExpectation::Kind kind, bool wanted,
                          Level level, const ValidateAll& validate,
                          std::vector<UnmetExpectation>* unmet) {
  STILE_ASSIGN_OR_RETURN(const ValidationReport report, validate(level));
  const bool empty = report.targets.empty();
  const bool passes = report.verdict == Verdict::kPass || report.verdict == Verdict::kRemoved;
  if (wanted ? passes && !empty : report.verdict == Verdict::kFail) return absl::OkStatus();
  const std::string found =
      empty ? absl::StrCat("there is nothing to judge",
                           report.summary.empty() ? "" : absl::StrCat(" (", report.summary, ")"))
            : absl::StrCat("the verdict is ", VerdictName(report.verdict),
                           report.summary.empty() ? "" : absl::StrCat(": ", report.summary));
  unmet->push_back({kind,
                    absl::StrCat(name, ": expected ", wanted ? "pass" : "fail", ", but ", found),
                    Details(report)});
  return absl::OkStatus();
}

// How the tests named `wanted` ended (IsTestNamed); "" if they passed.
std::string FaultOfTest(const ValidationReport& report, const std::string& wanted) {
  bool passed = false;
  bool skipped = false;
  for (const TargetReport& target : report.targets) {
    const ValidationResult& result = target.result;
    for (const auto& [name, test] : result.named_tests) {
      if (!IsTestNamed(name, wanted)) continue;
      if (test.outcome == TestOutcome::kFailed) return "it failed";
      passed |= test.outcome == TestOutcome::kPassed;
      skipped |= test.outcome == TestOutcome::kSkipped;
    }
    // Runners that name no tests: nothing of their run may fail.
    if (result.named_tests.empty() && result.tests.has_value() && result.tests->passed > 0 &&
        result.verdict == Verdict::kPass && !result.excused_errors) {
      passed = true;
    }
  }
  if (passed) return "";
  return skipped ? "it was skipped" : "no test of this name ran";
}

absl::Status CheckTests(const std::vector<std::string>& names, const ValidateAll& validate,
                        std::vector<UnmetExpectation>* unmet) {
  if (names.empty()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const ValidationReport report, validate(Level::kTest));
  for (const std::string& name : names) {
    const std::string fault = FaultOfTest(report, name);
    if (fault.empty()) continue;
    unmet->push_back({UnmetExpectation::Kind::kTestsPass,
                      absl::StrCat("tests_pass: ", name, ": ", fault), Details(report)});
  }
  return absl::OkStatus();
}

absl::Status CheckMatch(absl::string_view name, const Expectations::Match& match, bool wanted,
                        const std::string& workspace, std::vector<UnmetExpectation>* unmet) {
  const auto miss = [&](absl::string_view why) {
    unmet->push_back(
        {UnmetExpectation::Kind::kOther, absl::StrCat(name, ": ", match.path, " ", why), ""});
    return absl::OkStatus();
  };
  const auto path = ResolveInWorkspace(workspace, match.path);
  if (!path.ok()) return miss(absl::StrCat("cannot be read: ", path.status().message()));
  auto content = DiskFileSystem()->ReadFile(path->absolute, kMaxFileBytes);
  if (absl::IsNotFound(content.status())) {
    return wanted ? miss("does not exist") : absl::OkStatus();
  }
  if (!content.ok()) return miss(absl::StrCat("cannot be read: ", content.status().message()));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<RE2> regex, CompileExpectedRegex(match.regex));
  // RE2 reads UTF-8; a stray byte must not hide the line that it is in.
  const std::string text = IsUtf8(*content) ? *std::move(content) : ToUtf8(*content);
  if (RE2::PartialMatch(text, *regex) == wanted) return absl::OkStatus();
  return miss(absl::StrCat(wanted ? "does not contain /" : "still contains /", match.regex, "/"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RE2>> CompileExpectedRegex(const std::string& regex) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<RE2>(absl::StrCat("(?m)", regex), options);
  if (compiled->ok()) return compiled;
  // Once more without our prefix, so that the message quotes what was written.
  const RE2 as_written(regex, options);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", regex,
      "' is no regular expression: ", as_written.ok() ? compiled->error() : as_written.error()));
}

absl::StatusOr<std::vector<UnmetExpectation>> CheckExpectations(
    const Expectations& expect, const std::string& workspace,
    const std::map<std::string, int>& tools_used, const ValidateAll& validate) {
  std::vector<UnmetExpectation> unmet;
  if (expect.compiles.has_value()) {
    STILE_RETURN_IF_ERROR(CheckVerdict("compiles", UnmetExpectation::Kind::kCompiles,
                                       *expect.compiles, Level::kBuild, validate, &unmet));
  }
  if (expect.tests_pass.has_value()) {
    STILE_RETURN_IF_ERROR(CheckVerdict("tests_pass", UnmetExpectation::Kind::kTestsPass,
                                       *expect.tests_pass, Level::kTest, validate, &unmet));
  }
  STILE_RETURN_IF_ERROR(CheckTests(expect.passing_tests, validate, &unmet));
  for (const std::string& path : expect.files_exist) {
    const auto resolved = ResolveInWorkspace(workspace, path);
    if (resolved.ok() && FileExists(resolved->absolute)) continue;
    unmet.push_back({UnmetExpectation::Kind::kOther,
                     absl::StrCat("files_exist: ", path,
                                  resolved.ok() ? " does not exist"
                                                : absl::StrCat(" cannot be looked up: ",
                                                               resolved.status().message())),
                     ""});
  }
  for (const Expectations::Match& match : expect.file_contains) {
    STILE_RETURN_IF_ERROR(CheckMatch("file_contains", match, true, workspace, &unmet));
  }
  for (const Expectations::Match& match : expect.file_not_contains) {
    STILE_RETURN_IF_ERROR(CheckMatch("file_not_contains", match, false, workspace, &unmet));
  }
  for (const std::string& tool : expect.tools_used) {
    bool used = false;
    for (const auto& [name, calls] : tools_used) {
      used = used || (calls > 0 && absl::StrReplaceAll(name, {{".", "_"}}) ==
                                       absl::StrReplaceAll(tool, {{".", "_"}}));
    }
    if (used) continue;
    unmet.push_back({UnmetExpectation::Kind::kOther,
                     absl::StrCat("tools_used: ", tool, " was not called successfully"), ""});
  }
  // Names, expressions and compilers' words may hold anything; a line stays a line.
  for (UnmetExpectation& item : unmet) {
    item.line = ToUtf8(absl::StrReplaceAll(item.line, {{"\n", "\\n"}, {"\r", "\\r"}}));
  }
  return unmet;
}

}  // namespace stile
