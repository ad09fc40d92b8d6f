// `dotnet test` exits 1 for wrong code and for failed tests; the trx reports tell them apart. A run
// in which no test assembly reported is no pass.
#include "validators/test_runner/dotnet_test.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/dotnet_project.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/msbuild_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

std::string Unescaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&lt;", "<"},
                                    {"&gt;", ">"},
                                    {"&quot;", "\""},
                                    {"&apos;", "'"},
                                    {"&#xA;", "\n"},
                                    {"&#xD;", ""},
                                    {"&amp;", "&"}});
}

std::string Between(absl::string_view text, absl::string_view open, absl::string_view close) {
  const size_t start = text.find(open);
  if (start == absl::string_view::npos) return "";
  const size_t end = text.find(close, start + open.size());
  if (end == absl::string_view::npos) return "";
  return Unescaped(text.substr(start + open.size(), end - start - open.size()));
}

// Adds the results of one trx report; false if it is none.
bool ReadTrx(absl::string_view trx, const Project& project, TestCounts* counts, NamedTests* tests,
             std::vector<Diagnostic>* failures) {
  static const Pattern* const kPlace = new Pattern(R"( in (.+):line (\d+)\s*)");
  if (!absl::StrContains(trx, "<TestRun") || !absl::StrContains(trx, "</TestRun>")) return false;
  constexpr absl::string_view kStart = "<UnitTestResult ";
  for (size_t at = trx.find(kStart); at != absl::string_view::npos;) {
    const size_t next = trx.find(kStart, at + kStart.size());
    const absl::string_view result =
        trx.substr(at, next == absl::string_view::npos ? next : next - at);
    at = next;
    const std::string outcome = Between(result, " outcome=\"", "\"");
    const std::string name = Between(result, " testName=\"", "\"");
    if (outcome == "Passed") {
      ++counts->passed;
      AddNamedTest(name, TestOutcome::kPassed, tests);
    } else if (outcome == "NotExecuted" || outcome == "Inconclusive") {
      ++counts->skipped;
      AddNamedTest(name, TestOutcome::kSkipped, tests);
    } else {
      ++counts->failed;
      AddNamedTest(name, TestOutcome::kFailed, tests, "", result);
      Diagnostic diagnostic;
      const std::string message = Between(result, "<Message>", "</Message>");
      diagnostic.message =
          absl::StrCat("test ", name, " failed", message.empty() ? "" : ": ", ToUtf8(message));
      const std::string stack = Between(result, "<StackTrace>", "</StackTrace>");
      for (absl::string_view line : SplitLines(stack)) {
        std::string file, number;
        if (!kPlace->IsIn(line, &file, &number)) continue;
        file = WorkspaceFile(file, project.absolute_root(), project.workspace);
        if (absl::StartsWith(file, "/")) continue;
        diagnostic.file = file;
        diagnostic.line = PositiveNumber(number);
        break;
      }
      failures->push_back(std::move(diagnostic));
    }
  }
  return true;
}

class DotnetTestValidator : public ToolValidator {
 public:
  DotnetTestValidator() : ToolValidator("dotnet-test", Level::kTest, State::kRetriedCold) {}

  bool Applies(const Project& project) const override {
    for (const std::string& entry : DotnetEntries(project)) {
      if (absl::EndsWith(entry, ".sln") || absl::EndsWith(entry, ".slnx")) return true;
      const std::string text = ReadProjectFile(project, entry).value_or("");
      if (absl::StrContains(text, "Microsoft.NET.Test.Sdk") || absl::StrContains(text, "MSTest") ||
          absl::StrContains(text, "IsTestProject")) {
        return true;
      }
    }
    return false;
  }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindDotnet(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return DotnetDependencies(project);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return WithOneRepeat(request, [&] { return Test(request, run); });
  }

  static absl::StatusOr<ValidationResult> Test(const ValidationRequest& request,
                                               ValidationRun* run) {
    const Project& project = *request.project;
    const std::string reports = JoinPath(request.state_dir, "results");
    STILE_RETURN_IF_ERROR(RemoveTree(reports));
    run->result().command.clear();
    std::vector<Diagnostic> diagnostics;
    std::string output;
    int exit_code = 0;
    for (const std::string& entry : DotnetEntries(project)) {
      std::vector<std::string> arguments = {
          "test", entry, "--logger", "trx;LogFilePrefix=run", "--results-directory", reports};
      for (std::string& argument : DotnetBuildSwitches(request.state_dir)) {
        arguments.push_back(std::move(argument));
      }
      Command command = DotnetCommand(run->toolchain(), arguments);
      command.display = ShellText({"dotnet", "test", entry});
      STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
      if (!process.has_value()) return run->result();
      if (process->exit_code != 0) exit_code = process->exit_code;
      const std::string words = AllOutput(*process);
      output += words;
      for (Diagnostic& diagnostic :
           ParseMsBuild(words, project.absolute_root(), project.workspace)) {
        if (diagnostic.code == "NU1301") {
          return run->InfraError("dotnet restore could not reach a package source", words);
        }
        diagnostics.push_back(std::move(diagnostic));
      }
    }
    ColumnsToBytes(project.workspace, ColumnUnit::kUtf16, &diagnostics);
    TestCounts counts;
    NamedTests tests;
    size_t read = 0;
    for (const std::string& name : ListDirectory(reports).value_or(std::vector<std::string>())) {
      const auto trx = DiskFileSystem()->ReadFile(JoinPath(reports, name), kMaxFileBytes);
      if (trx.ok() && ReadTrx(*trx, project, &counts, &tests, &diagnostics)) ++read;
    }
    if (exit_code == 0 && read == 0)
      return run->InfraError("dotnet test reported no tests", output);
    if (read > 0) run->result().tests = counts;
    run->result().named_tests = std::move(tests);
    // vstest's words where the code, or a test, ends the test host.
    if (exit_code != 0 && counts.failed == 0 && CountErrors(diagnostics) == 0 &&
        absl::StrContains(output, "test run was aborted")) {
      return run->Fail(std::move(diagnostics),
                       "the process that runs the tests ended before they did", output);
    }
    ValidationResult result = run->Conclude(exit_code, std::move(diagnostics), output);
    if (result.verdict == Verdict::kFail && counts.failed > 0)
      result.message = CountsMessage(counts);
    return result;
  }
};

}  // namespace

std::unique_ptr<Validator> NewDotnetTestValidator() {
  return std::make_unique<DotnetTestValidator>();
}

}  // namespace stile
