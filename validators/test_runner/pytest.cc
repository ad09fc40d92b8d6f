// Quirks of pytest that this file answers to:
// - It writes .pytest_cache and __pycache__ where it runs: both are turned off.
// - Its words for people change with plugins and settings; the JUnit report does not, so that is
//   what is read. Status 1 is "tests failed", 2 "interrupted" (faults while collecting), both
//   documented.
// - `python -m pytest` puts the project's root on the path, which the bare command does not: more
//   projects run so, none less.
#include "validators/test_runner/pytest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/language/name_matcher.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/python_project.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

constexpr size_t kMaxReportBytes = size_t{64} << 20;

// The last place in the workspace that a traceback names: where the test failed.
void PlaceFromDetails(const JunitCase& test, const std::string& base, const std::string& workspace,
                      Diagnostic* diagnostic) {
  static const auto* const short_form = new Pattern(R"((\S.*\.py):(\d+): .*)");
  static const auto* const quoted = new Pattern(R"re(E?\s*File "(.+\.py)", line (\d+).*)re");
  for (absl::string_view line : SplitLines(test.details)) {
    std::string file, row;
    if (!short_form->Matches(line, &file, &row) && !quoted->Matches(line, &file, &row)) continue;
    const std::string inside = WorkspaceFile(file, base, workspace);
    if (absl::StartsWith(inside, "/") || absl::StartsWith(inside, "..")) continue;
    diagnostic->file = inside;
    diagnostic->line = PositiveNumber(row);
  }
}

// The words of the exception where the message only says that collecting failed.
std::string MessageOf(const JunitCase& test) {
  std::string message = test.message.substr(0, test.message.find('\n'));
  if (message != "collection failure") return message;
  for (absl::string_view line : SplitLines(test.details)) {
    if (absl::StartsWith(line, "E  ")) {
      message = std::string(absl::StripAsciiWhitespace(line.substr(1)));
    }
  }
  return message;
}

std::vector<std::string> TestNames(const Project& project) {
  if (project.language != nullptr && !project.language->test_names.empty()) {
    return project.language->test_names;
  }
  return {"test_*.py", "*_test.py", "conftest.py"};
}

// Whether the project's settings make pytest look for tests in files of other names.
bool ConfiguresOtherTests(const Project& project) {
  static const auto* const setting =
      new Pattern(R"((?m)^\s*python_files\s*=|--doctest-(?:modules|glob))");
  for (const char* name : {"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}) {
    if (setting->IsIn(ReadProjectFile(project, name).value_or(""))) return true;
  }
  return false;
}

Command PytestCommand(const ValidationRequest& request, const std::string& interpreter,
                      const std::string& report) {
  Command command;
  command.argv = {interpreter,
                  "-m",
                  "pytest",
                  "-q",
                  "-p",
                  "no:cacheprovider",
                  "--color=no",
                  "-o",
                  "junit_family=xunit1",
                  "-o",
                  "junit_duration_report=total",
                  absl::StrCat("--junitxml=", report)};
  command.set = PythonVariables(request.state_dir);
  command.unset = {"PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST"};
  command.display = "python3 -m pytest -q";
  return command;
}

// A module that cannot be imported is reported like a test, without a class.
std::vector<JunitCase> WithoutModules(std::vector<JunitCase> cases) {
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [](const JunitCase& test) {
                               return test.class_name.empty() &&
                                      test.outcome == JunitCase::Outcome::kFailed;
                             }),
              cases.end());
  return cases;
}

class PytestValidator : public ToolValidator {
 public:
  PytestValidator() : ToolValidator("pytest", Level::kTest) {}
  // Where nothing looks like a test, there is nothing to ask for; where something does, a run that
  // finds none is a failure.
  bool Applies(const Project& project) const override {
    NameMatcher tests;
    for (const std::string& glob : TestNames(project)) tests.Add(glob, 0);
    return ConfiguresOtherTests(project) ||
           std::any_of(project.files.begin(), project.files.end(),
                       [&tests](const std::string& file) { return !tests.Match(file).empty(); });
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    query.version_arguments = {"-m", "pytest", "--version"};
    std::vector<std::string> interpreters = VirtualEnvironmentPrograms(project, "python");
    const Toolchain usual = FindPython(project, environment, runner);
    if (usual.available) interpreters.push_back(usual.program);
    // Any other on the PATH: Debian's packages belong to Debian's interpreter, be it first or not.
    if (const auto path = environment.find("PATH"); path != environment.end()) {
      for (absl::string_view folder : absl::StrSplit(path->second, ':', absl::SkipEmpty())) {
        interpreters.push_back(JoinPath(folder, "python3"));
      }
    }
    for (const std::string& interpreter : interpreters) {
      query.names = {interpreter};
      Toolchain found = FindToolchain(query, environment, runner);
      if (found.available && !found.version.empty()) return found;
      if (!usual.available) break;
    }
    Toolchain missing;
    missing.install_hint =
        "pytest is not installed: apt-get install python3-pytest, or pip install pytest in the "
        "project's virtual environment";
    return missing;
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return WithOneRepeat(request, [&] { return Attempt(request, run); });
  }

  static absl::StatusOr<ValidationResult> Attempt(const ValidationRequest& request,
                                                  ValidationRun* run) {
    const Project& project = *request.project;
    const std::string root = project.absolute_root();
    const std::string report = JoinPath(request.state_dir, "junit.xml");
    if (FileExists(report)) STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(report));
    run->result().command.clear();
    STILE_ASSIGN_OR_RETURN(const auto process,
                           run->Execute(PytestCommand(request, run->toolchain().program, report)));
    if (!process.has_value()) return run->result();
    if (process->exit_code == 5) {
      return run->Fail({}, "pytest found no tests", AllOutput(*process));
    }
    const auto text = DiskFileSystem()->ReadFile(report, kMaxReportBytes);
    const auto cases =
        text.ok() ? ParseJunitReport(*text) : absl::StatusOr<std::vector<JunitCase>>(text.status());
    if (!cases.ok()) {
      return run->InfraError(absl::StrCat("pytest ended with exit status ", process->exit_code,
                                          " and without a report"),
                             AllOutput(*process));
    }
    std::vector<Diagnostic> diagnostics;
    const TestCounts counts = CountCases(*cases, [&](const JunitCase& test) {
      Diagnostic diagnostic;
      diagnostic.file = WorkspaceFile(test.file, root, project.workspace);
      diagnostic.line = test.file.empty() ? 0 : test.line + 1;
      PlaceFromDetails(test, root, project.workspace, &diagnostic);
      diagnostic.message = absl::StrCat(test.name, ": ", MessageOf(test));
      diagnostics.push_back(std::move(diagnostic));
    });
    run->result().tests = counts;
    run->result().named_tests.clear();
    AddNamedTests(WithoutModules(*cases), &run->result().named_tests);
    ValidationResult result =
        run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
    if (result.verdict == Verdict::kFail) result.message = CountsMessage(counts);
    return result;
  }
};

}  // namespace

std::unique_ptr<Validator> NewPytestValidator() { return std::make_unique<PytestValidator>(); }

}  // namespace stile
