#include "validators/test_runner/ctest.h"

#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cmake_build.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/diagnostics/test_summary.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

// gtest and Catch2 say "file:line: Failure" (or FAILED), assert says "file:line: function:
// Assertion …".
Diagnostic FailureOf(const JunitCase& test, const std::string& base_dir,
                     const std::string& workspace, absl::string_view words) {
  static const Pattern* const kPlace = new Pattern(R"((?:.*?\s)?([^\s:]+\.\w+):(\d+): (.*))");
  Diagnostic diagnostic;
  diagnostic.message = absl::StrCat("test ", test.name, " failed");
  for (absl::string_view line : SplitLines(words)) {
    std::string file, number, text;
    if (!kPlace->Matches(line, &file, &number, &text)) continue;
    const std::string place = WorkspaceFile(file, base_dir, workspace);
    if (!FileExists(JoinPath(workspace, place))) continue;
    diagnostic.file = place;
    diagnostic.line = PositiveNumber(number);
    absl::StrAppend(&diagnostic.message, ": ", ToUtf8(text));
    break;
  }
  return diagnostic;
}

// "[       OK ] Suite.Name (0 ms)"; failures are listed twice. What stands between "[ RUN      ]"
// and that line are words of the test.
void ReadNamesOfGoogleTest(absl::string_view output, NamedTests* tests) {
  static const Pattern* const kRun = new Pattern(R"(\[ RUN      \] .*)");
  static const Pattern* const kLine =
      new Pattern(R"(\[\s*(OK|FAILED|SKIPPED)\s*\] ([^\s,]+\.[^\s,]+)(?:,.*| \(\d+ ms\))?)");
  std::string words;
  for (absl::string_view line : SplitLines(output)) {
    std::string word, name;
    if (kRun->Matches(line)) words.clear();
    if (!kLine->Matches(line, &word, &name)) {
      absl::StrAppend(&words, line, "\n");
      continue;
    }
    const TestOutcome outcome = word == "OK"        ? TestOutcome::kPassed
                                : word == "SKIPPED" ? TestOutcome::kSkipped
                                                    : TestOutcome::kFailed;
    AddNamedTest(name, outcome, tests, "", words);
    words.clear();
  }
}

// ctest goes by the exit status of a program alone. Where the program reports its own tests,
// `counts` gets them in place of the one that ctest counts, and failures that it counts make the
// test fail. Then its words are no longer those of one test.
void ReadOwnReport(JunitCase* test, TestCounts* counts, NamedTests* tests) {
  NamedTests own;
  ReadNamesOfGoogleTest(test->output, &own);
  const TestSummary summary = SummarizeTestText(test->output);
  if (summary.found || !own.empty()) test->output.clear();
  for (auto& [name, one] : own) {
    NamedTest& known = tests->try_emplace(name, one).first->second;
    known.outcome = std::max(known.outcome, one.outcome);
    known.marks.merge(one.marks);
  }
  if (!summary.found || test->outcome != JunitCase::Outcome::kPassed) return;
  counts->passed += summary.counts.passed;
  counts->skipped += summary.counts.skipped;
  if (summary.failures() > 0) {
    test->outcome = JunitCase::Outcome::kFailed;
    counts->failed += summary.failures() - 1;
  } else {
    --counts->passed;
  }
}

class CTestValidator : public ToolValidator {
 public:
  CTestValidator()
      : ToolValidator("ctest", Level::kTest, State::kRetriedCold),
        build_(NewCMakeBuildValidator()) {}

  bool Applies(const Project& project) const override {
    static const Pattern* const kTests =
        new Pattern(R"((?im)^\s*(?:enable_testing|include\s*\(\s*ctest)\b)");
    if (!project.Has("CMakeLists.txt")) return false;
    for (const std::string& folder : {CMakeTopFolder(project), project.absolute_root()}) {
      const auto text =
          DiskFileSystem()->ReadFile(JoinPath(folder, "CMakeLists.txt"), kMaxFileBytes);
      if (text.ok() && kTests->IsIn(*text)) return true;
    }
    return false;
  }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindCMake(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return build_->Dependencies(project);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    STILE_ASSIGN_OR_RETURN(const ValidationResult built, BuildWithCMake(request, run));
    if (built.verdict != Verdict::kPass) return built;
    const std::string commands = built.command;
    return WithOneRepeat(request, [&] {
      run->result().command = commands;
      return Test(request, built.diagnostics, run);
    });
  }
  std::vector<Toolchain> StateTools(const ValidationRequest& request,
                                    const Toolchain&) const override {
    return CMakeTools(request.environment, request.runner);
  }

  static absl::StatusOr<ValidationResult> Test(const ValidationRequest& request,
                                               std::vector<Diagnostic> diagnostics,
                                               ValidationRun* run) {
    const Project& project = *request.project;
    const std::string build = JoinPath(request.state_dir, "build");
    const std::string report = JoinPath(request.state_dir, "tests.xml");
    if (FileExists(report)) STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(report));
    // The one beside cmake belongs to it.
    const std::string beside = JoinPath(DirName(run->toolchain().program), "ctest");
    Command command;
    command.cwd = build;
    command.argv = {FileExists(beside) ? beside : "ctest",
                    "--output-on-failure",
                    "--test-output-size-passed",
                    "1000000",
                    "--output-junit",
                    report,
                    "-j",
                    absl::StrCat(std::max(1u, std::thread::hardware_concurrency()))};
    command.unset = {"CTEST_OUTPUT_ON_FAILURE", "CTEST_PARALLEL_LEVEL", "GTEST_FILTER"};
    command.display = "ctest";
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    const auto text = DiskFileSystem()->ReadFile(report, kMaxFileBytes);
    if (!text.ok()) {
      if (process->exit_code == 0 && absl::StrContains(output, "No tests were found")) {
        run->result().tests = TestCounts();
        return run->Pass(std::move(diagnostics));
      }
      return run->InfraError("ctest (3.21 or newer is needed) wrote no report", output);
    }
    auto cases = ParseJunitReport(*text);
    if (!cases.ok()) return run->InfraError(cases.status().message(), output);
    TestCounts inner;  // of programs that report their own tests
    NamedTests tests;
    for (JunitCase& test : *cases) ReadOwnReport(&test, &inner, &tests);
    AddNamedTests(*cases, &tests);
    run->result().named_tests = std::move(tests);
    TestCounts counts = CountCases(*cases, [&](const JunitCase& test) {
      diagnostics.push_back(FailureOf(test, build, project.workspace, output));
    });
    counts.passed += inner.passed;
    counts.failed += inner.failed;
    counts.skipped += inner.skipped;
    run->result().tests = counts;
    // A program that counts failures and exits with 0 has failed all the same.
    const int status = process->exit_code == 0 && counts.failed > 0 ? 8 : process->exit_code;
    ValidationResult result = run->Conclude(status, std::move(diagnostics), output);
    if (result.verdict == Verdict::kFail) {
      result.message = CountsMessage(counts);
      result.output = TruncateMiddle(ToUtf8(output), 16 << 10);
    }
    return result;
  }

  const std::unique_ptr<Validator> build_;
};

}  // namespace

std::unique_ptr<Validator> NewCTestValidator() { return std::make_unique<CTestValidator>(); }

}  // namespace stile
