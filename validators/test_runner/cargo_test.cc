// cargo exits 101 both when code does not compile and when a test fails. The harness prints a line
// for each test and its panic with the place; a harness that ends without its summary died.
#include "validators/test_runner/cargo_test.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/compiler/tool_validator.h"
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

class ReportReader {
 public:
  ReportReader(absl::string_view output, const std::string& base_dir, const std::string& workspace)
      : lines_(SplitLines(output)), base_dir_(base_dir), workspace_(workspace) {}

  CargoTestReport Read() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      NoteWords(lines_[i]);
      if (!TakeCounts(lines_[i]) && !TakeOutcome(lines_[i])) TakePanic(i);
    }
    for (const auto& [test, panic] : panics_) {
      const auto entry = index_.find(test);
      if (entry == index_.end()) continue;
      Diagnostic& failure = report_.failures[entry->second];
      failure.file = panic.file;
      failure.line = panic.line;
      failure.column = panic.column;
      absl::StrAppend(&failure.message, panic.message);
    }
    return std::move(report_);
  }

 private:
  // What a failed test printed.
  void NoteWords(absl::string_view line) {
    static const Pattern* const kWords = new Pattern(R"(---- (.+) stdout ----)");
    std::string test;
    if (kWords->Matches(line, &test)) speaker_ = test;
    if (line == "failures:") speaker_.clear();
    if (!speaker_.empty()) AddNamedTest(speaker_, TestOutcome::kFailed, &report_.tests, "", line);
  }

  bool TakeCounts(absl::string_view line) {
    static const Pattern* const kRunning = new Pattern(R"(running \d+ tests?)");
    static const Pattern* const kSummary =
        new Pattern(R"(test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*)");
    if (kRunning->Matches(line)) {
      ++report_.unfinished;
      return true;
    }
    std::string passed, failed, ignored;
    if (!kSummary->Matches(line, &passed, &failed, &ignored)) return false;
    --report_.unfinished;
    report_.counts.passed += PositiveNumber(passed);
    report_.counts.failed += PositiveNumber(failed);
    report_.counts.skipped += PositiveNumber(ignored);
    return true;
  }

  bool TakeOutcome(absl::string_view line) {
    static const Pattern* const kFailed =
        new Pattern(R"(test (.+?)(?: - should panic)? \.\.\. FAILED.*)");
    static const Pattern* const kRan =
        new Pattern(R"(test (.+?)(?: - should panic)? \.\.\. (ok|ignored).*)");
    std::string test, outcome;
    if (kFailed->Matches(line, &test)) {
      Diagnostic diagnostic;
      diagnostic.message = absl::StrCat("test ", test, " failed");
      AddNamedTest(test, TestOutcome::kFailed, &report_.tests);
      index_[test] = report_.failures.size();
      report_.failures.push_back(std::move(diagnostic));
      return true;
    }
    if (!kRan->Matches(line, &test, &outcome)) return false;
    AddNamedTest(test, outcome == "ok" ? TestOutcome::kPassed : TestOutcome::kSkipped,
                 &report_.tests);
    return true;
  }

  // The place of a panic, and the lines behind it.
  void TakePanic(size_t i) {
    static const Pattern* const kPanic =
        new Pattern(R"(thread '(.+)'(?: \(\d+\))? panicked at (?:'.*', )?(\S+?):(\d+):(\d+):?)");
    std::string test, file, line, column;
    if (!kPanic->Matches(lines_[i], &test, &file, &line, &column)) return;
    Diagnostic& panic = panics_[test];
    panic.file = WorkspaceFile(file, base_dir_, workspace_);
    panic.line = PositiveNumber(line);
    panic.column = PositiveNumber(column);
    for (size_t k = i + 1; k < lines_.size() && k < i + 6; ++k) {
      if (lines_[k].empty() || absl::StartsWith(lines_[k], "note:") ||
          absl::StartsWith(lines_[k], "stack backtrace")) {
        break;
      }
      absl::StrAppend(&panic.message, ": ", ToUtf8(lines_[k]));
    }
  }

  const std::vector<absl::string_view> lines_;
  const std::string& base_dir_;
  const std::string& workspace_;
  CargoTestReport report_;
  std::map<std::string, size_t> index_;  // of failures by test
  std::map<std::string, Diagnostic> panics_;
  std::string speaker_;  // the test whose words follow
};

class CargoTestValidator : public ToolValidator {
 public:
  CargoTestValidator() : ToolValidator("cargo-test", Level::kTest, State::kRetriedCold) {}
  bool Applies(const Project& project) const override { return project.Has("Cargo.toml"); }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindRustProgram("cargo", project, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return CargoDependencies(project);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return WithOneRepeat(request, [&] { return Test(request, run); });
  }

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
    CargoTestReport report = ReportReader(output, base, project.workspace).Read();
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
};

}  // namespace

std::unique_ptr<Validator> NewCargoTestValidator() {
  return std::make_unique<CargoTestValidator>();
}

}  // namespace stile
