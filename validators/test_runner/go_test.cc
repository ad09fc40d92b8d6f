#include "validators/test_runner/go_test.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/go_module.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/go_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

// What `go test -json` said, read as far as it could be.
struct GoTestReport {
  TestCounts counts;
  NamedTests tests;
  std::vector<Diagnostic> diagnostics;
  std::string build_output;     // of newer versions, which report compilers' words as events
  std::string failed_packages;  // that failed outside of any test
  size_t events = 0;
};

// What an event of `go test -json` prints.
std::string ReadableEvent(absl::string_view line) {
  const absl::StatusOr<Json> event = ParseJson(line);
  if (!event.ok() || !JsonString(*event, "Action").has_value()) return std::string(line);
  return JsonString(*event, "Output").value_or("");
}

// A failing test's place: the first "    x_test.go:5: text" of its output, a name within the
// package.
Diagnostic FailedTest(const std::string& package_folder, const std::string& test,
                      const std::string& output) {
  static const auto* const place = new Pattern(R"(\s+(\S+\.go):(\d+): (.*))");
  Diagnostic diagnostic;
  diagnostic.message = absl::StrCat(test, " failed");
  for (absl::string_view line : SplitLines(output)) {
    std::string file, row, text;
    if (!place->Matches(line, &file, &row, &text)) continue;
    diagnostic.file =
        absl::StartsWith(file, "/") ? file : CleanPath(JoinPath(package_folder, file));
    diagnostic.line = PositiveNumber(row);
    diagnostic.message = ToUtf8(absl::StrCat(test, ": ", text));
    break;
  }
  return diagnostic;
}

GoTestReport ReadReport(absl::string_view output, const std::string& module_path,
                        const Project& project) {
  GoTestReport report;
  std::map<std::pair<std::string, std::string>, std::string> words;  // of each test
  for (absl::string_view line : SplitLines(output)) {
    const absl::StatusOr<Json> event = ParseJson(line);
    if (!event.ok()) continue;
    const std::string action = JsonString(*event, "Action").value_or("");
    const std::string package = JsonString(*event, "Package").value_or("");
    const std::string test = JsonString(*event, "Test").value_or("");
    if (action.empty()) continue;
    ++report.events;
    const std::string text = JsonString(*event, "Output").value_or("");
    if (action == "build-output") absl::StrAppend(&report.build_output, text);
    if (action == "output") absl::StrAppend(&words[{package, test}], text);
    if (test.empty()) {
      if (action == "fail") absl::StrAppend(&report.failed_packages, " ", package);
      continue;
    }
    const auto add = [&](TestOutcome outcome) {
      AddNamedTest(absl::StrCat(package, ".", test), outcome, &report.tests,
                   absl::string_view(test).substr(0, test.find('/')), words[{package, test}]);
    };
    if (action == "pass") {
      ++report.counts.passed;
      add(TestOutcome::kPassed);
    }
    if (action == "skip") {
      ++report.counts.skipped;
      add(TestOutcome::kSkipped);
    }
    if (action != "fail") continue;
    ++report.counts.failed;
    add(TestOutcome::kFailed);
    absl::string_view below = package;
    absl::ConsumePrefix(&below, module_path);
    absl::ConsumePrefix(&below, "/");
    const std::string folder = CleanPath(JoinPath(project.root, below));
    report.diagnostics.push_back(FailedTest(folder, test, words[{package, test}]));
  }
  return report;
}

class GoTestValidator : public ToolValidator {
 public:
  GoTestValidator() : ToolValidator("go-test", Level::kTest) {}
  bool Applies(const Project& project) const override { return !project.loose; }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindGo(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return GoDependencies(project);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return WithOneRepeat(request, [&] { return Attempt(request, run); });
  }

  static absl::StatusOr<ValidationResult> Attempt(const ValidationRequest& request,
                                                  ValidationRun* run) {
    const Project& project = *request.project;
    Command command;
    command.argv = {run->toolchain().program, "test", "-json", "-count=1", "-vet=off", "./..."};
    command.set = GoVariables(project);
    command.readable = ReadableEvent;
    run->result().command.clear();
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();

    const std::string module_path =
        ParseGoMod(ReadProjectFile(project, "go.mod").value_or("")).path;
    GoTestReport report = ReadReport(process->out, module_path, project);
    const std::string compilers = absl::StrCat(report.build_output, process->err);
    std::vector<Diagnostic> diagnostics =
        ParseGo(compilers, project.absolute_root(), project.workspace);
    diagnostics.insert(diagnostics.end(), report.diagnostics.begin(), report.diagnostics.end());
    run->result().tests = report.counts;
    run->result().named_tests = std::move(report.tests);
    if (process->exit_code == 0 && report.events == 0) {
      return run->InfraError("go test reported nothing", AllOutput(*process));
    }
    if (process->exit_code != 0 && CountErrors(diagnostics) == 0 &&
        !report.failed_packages.empty()) {
      // A panic outside of a test, os.Exit in TestMain: the package failed, in words of its own.
      return run->Fail({}, absl::StrCat("failed:", report.failed_packages), AllOutput(*process));
    }
    ValidationResult result =
        run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
    if (result.verdict == Verdict::kFail && report.counts.failed > 0) {
      result.message = CountsMessage(report.counts);
    }
    return result;
  }
};

}  // namespace

std::unique_ptr<Validator> NewGoTestValidator() { return std::make_unique<GoTestValidator>(); }

}  // namespace stile
