// cargo exits 101 both when code does not compile and when a test fails. The harness prints a line
// for each test and its panic with the place; a harness that ends without its summary died.
#include "validators/test_runner/cargo_test.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

struct CargoTestReport {
  TestCounts counts;
  NamedTests tests;
  int unfinished = 0;  // programs that announced tests and printed no summary
  std::vector<Diagnostic> failures;
};

CargoTestReport ReadReport(absl::string_view output, const std::string& base_dir,
                           const std::string& workspace) {
  static const Pattern* const kSummary =
      new Pattern(R"(test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*)");
  static const Pattern* const kRunning = new Pattern(R"(running \d+ tests?)");
  static const Pattern* const kFailed =
      new Pattern(R"(test (.+?)(?: - should panic)? \.\.\. FAILED.*)");
  static const Pattern* const kRan =
      new Pattern(R"(test (.+?)(?: - should panic)? \.\.\. (ok|ignored).*)");
  static const Pattern* const kPanic =
      new Pattern(R"(thread '(.+)'(?: \(\d+\))? panicked at (?:'.*', )?(\S+?):(\d+):(\d+):?)");
  static const Pattern* const kWords = new Pattern(R"(---- (.+) stdout ----)");
  CargoTestReport report;
  std::map<std::string, size_t> index;  // of failures by test
  std::string speaker;                  // the test whose words follow
  std::map<std::string, Diagnostic> panics;
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string passed, failed, ignored, test, file, line, column;
    if (kWords->Matches(lines[i], &test)) speaker = test;
    if (lines[i] == "failures:") speaker.clear();
    if (!speaker.empty()) {
      AddNamedTest(speaker, TestOutcome::kFailed, &report.tests, "", lines[i]);
    }
    if (kRunning->Matches(lines[i])) {
      ++report.unfinished;
    } else if (kSummary->Matches(lines[i], &passed, &failed, &ignored)) {
      --report.unfinished;
      report.counts.passed += PositiveNumber(passed);
      report.counts.failed += PositiveNumber(failed);
      report.counts.skipped += PositiveNumber(ignored);
    } else if (kFailed->Matches(lines[i], &test)) {
      Diagnostic diagnostic;
      diagnostic.message = absl::StrCat("test ", test, " failed");
      AddNamedTest(test, TestOutcome::kFailed, &report.tests);
      index[test] = report.failures.size();
      report.failures.push_back(std::move(diagnostic));
    } else if (std::string outcome; kRan->Matches(lines[i], &test, &outcome)) {
      AddNamedTest(test, outcome == "ok" ? TestOutcome::kPassed : TestOutcome::kSkipped,
                   &report.tests);
    } else if (kPanic->Matches(lines[i], &test, &file, &line, &column)) {
      Diagnostic& panic = panics[test];
      panic.file = WorkspaceFile(file, base_dir, workspace);
      panic.line = PositiveNumber(line);
      panic.column = PositiveNumber(column);
      for (size_t k = i + 1; k < lines.size() && k < i + 6; ++k) {
        if (lines[k].empty() || absl::StartsWith(lines[k], "note:") ||
            absl::StartsWith(lines[k], "stack backtrace")) {
          break;
        }
        absl::StrAppend(&panic.message, ": ", ToUtf8(lines[k]));
      }
    }
  }
  for (const auto& [test, panic] : panics) {
    const auto entry = index.find(test);
    if (entry == index.end()) continue;
    Diagnostic& failure = report.failures[entry->second];
    failure.file = panic.file;
    failure.line = panic.line;
    failure.column = panic.column;
    absl::StrAppend(&failure.message, panic.message);
  }
  return report;
}

class CargoTestValidator : public Validator {
 public:
  const std::string& id() const override { return id_; }
  Level level() const override { return Level::kTest; }
  bool Applies(const Project& project) const override { return project.Has("Cargo.toml"); }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindRustProgram("cargo", project, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return CargoDependencies(project);
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    const Toolchain toolchain = Probe(*request.project, request.environment, request.runner);
    return WithColdRetry(request, {toolchain}, [&toolchain](const ValidationRequest& attempt) {
      ValidationRun run(attempt, toolchain);
      if (auto unusable = run.Unusable()) return absl::StatusOr<ValidationResult>(*unusable);
      return WithOneRepeat(attempt, [&] { return Test(attempt, &run); });
    });
  }

 private:
  static absl::StatusOr<ValidationResult> Test(const ValidationRequest& request,
                                               ValidationRun* run) {
    const Project& project = *request.project;
    const std::string base = CargoWorkspaceRoot(project);
    const std::string target = JoinPath(request.state_dir, "target");
    run->result().command.clear();
    run->result().tests = std::nullopt;
    run->result().named_tests.clear();
    Command build =
        CargoCommand(run->toolchain(), {"test", "--no-run", "--message-format=json"}, target);
    build.display = "cargo test --no-run";
    build.readable = ReadableCargoMessage;
    STILE_ASSIGN_OR_RETURN(const auto built, run->Execute(build));
    if (!built.has_value()) return run->result();
    std::vector<Diagnostic> diagnostics =
        ParseCargoJson(AllOutput(*built), base, project.workspace);
    if (built->exit_code != 0 || CountErrors(diagnostics) > 0) {
      return run->Conclude(built->exit_code, std::move(diagnostics), built->err);
    }
    if (!CargoSaysFinished(built->out)) {
      return run->InfraError("cargo ended without saying that the build is finished",
                             AllOutput(*built));
    }
    Command command = CargoCommand(run->toolchain(), {"test", "--no-fail-fast"}, target);
    command.set["RUST_BACKTRACE"] = "0";
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    CargoTestReport report = ReadReport(output, base, project.workspace);
    run->result().tests = report.counts;
    run->result().named_tests = std::move(report.tests);
    diagnostics.insert(diagnostics.end(), report.failures.begin(), report.failures.end());
    if (process->exit_code == 0 && report.unfinished > 0) {
      return run->Fail(std::move(diagnostics),
                       "a test program ended with success before its summary: the code or a test "
                       "ends the process",
                       output);
    }
    ValidationResult result = run->Conclude(process->exit_code, std::move(diagnostics), output);
    if (result.verdict == Verdict::kFail) result.message = CountsMessage(report.counts);
    return result;
  }

  const std::string id_ = "cargo-test";
};

}  // namespace

std::unique_ptr<Validator> NewCargoTestValidator() {
  return std::make_unique<CargoTestValidator>();
}

}  // namespace stile
