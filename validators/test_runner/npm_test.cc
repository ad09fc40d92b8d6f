#include "validators/test_runner/npm_test.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

constexpr size_t kMaxPackageJsonBytes = size_t{4} << 20;

// The nearest folder (relative to the workspace) whose package.json has a test script; "" if none
// has. The script that `npm init` writes, which only complains, is none.
std::string TestFolder(const Project& project) {
  for (const std::string& folder : FoldersUpward(project)) {
    const auto text = DiskFileSystem()->ReadFile(
        JoinPath(JoinPath(project.workspace, folder), "package.json"), kMaxPackageJsonBytes);
    const absl::StatusOr<Json> json = text.ok() ? ParseJson(*text) : text.status();
    if (!json.ok()) continue;
    const Json* scripts = JsonMember(*json, "scripts");
    const auto script = scripts == nullptr ? std::nullopt : JsonString(*scripts, "test");
    if (script.has_value() && !absl::StrContains(*script, "Error: no test specified"))
      return folder;
  }
  return "";
}

int Number(const std::string& digits) {
  int number = 0;
  return absl::SimpleAtoi(digits, &number) ? number : 0;
}

// Counts from the summary of a known runner; nullopt if none is recognised.
std::optional<TestCounts> ReadCounts(absl::string_view output) {
  // node --test, in TAP and for people.
  static const auto* const node =
      new Pattern(R"((?:#|ℹ) (pass|fail|cancelled|skipped|todo) (\d+))");
  // "Tests:       1 failed, 1 skipped, 2 passed, 4 total" (jest), "Tests  1 failed | 2 passed (3)"
  // (vitest).
  static const auto* const summary = new Pattern(R"(\s*Tests:?\s+(\d.*))");
  static const auto* const mocha = new Pattern(R"(\s+(\d+) (passing|failing|pending)(?: .*)?)");
  TestCounts counts;
  bool any = false;
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    std::string word, digits, rest;
    if (node->Matches(line, &word, &digits) || mocha->Matches(line, &digits, &word)) {
      any = true;
      const int number = Number(digits);
      if (word == "pass" || word == "passing") counts.passed += number;
      if (word == "fail" || word == "cancelled" || word == "failing") counts.failed += number;
      if (word == "skipped" || word == "todo" || word == "pending") counts.skipped += number;
    } else if (summary->Matches(line, &rest)) {
      any = true;
      for (const char* kind : {"passed", "failed", "skipped", "todo"}) {
        const Pattern of_kind(absl::StrCat("(\\d+) ", kind).c_str());
        if (!of_kind.IsIn(rest, &digits)) continue;
        const int number = Number(digits);
        if (kind == std::string("passed")) {
          counts.passed += number;
        } else if (kind == std::string("failed")) {
          counts.failed += number;
        } else {
          counts.skipped += number;
        }
      }
    }
  }
  if (!any) return std::nullopt;
  return counts;
}

// Names from what node --test prints (TAP, or for people), and mocha, vitest and jest where they
// list their tests.
NamedTests ReadNames(absl::string_view output) {
  static const auto* const point =
      new Pattern(R"(\s*(not )?ok \d+ - (.*?)( # (?:SKIP|TODO|skip|todo)\b.*)?)");
  static const auto* const mark =
      new Pattern(R"(\s*(✔|✓|√|✖|✗|×|✕|﹣|○|↓) (.+?)(?: \(?[\d.]+ ?m?s\)?)?( # (?:SKIP|TODO).*)?)");
  NamedTests tests;
  std::string failed;  // the test whose words follow
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    std::string sign, name, directive;
    TestOutcome outcome = TestOutcome::kPassed;
    if (point->Matches(line, &sign, &name, &directive)) {
      if (!sign.empty()) outcome = TestOutcome::kFailed;
    } else if (mark->Matches(line, &sign, &name, &directive)) {
      if (sign == "✖" || sign == "✗" || sign == "×" || sign == "✕") outcome = TestOutcome::kFailed;
      if (sign == "﹣" || sign == "○" || sign == "↓") outcome = TestOutcome::kSkipped;
    } else {
      AddNamedTest(failed, TestOutcome::kFailed, &tests, "", line);
      continue;
    }
    if (!directive.empty()) outcome = TestOutcome::kSkipped;
    AddNamedTest(name, outcome, &tests);
    failed = outcome == TestOutcome::kFailed ? name : "";
  }
  return tests;
}

// The failing points of TAP that name a place, as node --test writes them.
std::vector<Diagnostic> ReadTap(absl::string_view output, const Project& project,
                                const std::string& base) {
  static const auto* const point = new Pattern(R"(\s*not ok \d+(?: - (.*))?)");
  static const auto* const location = new Pattern(R"(\s*location: '(?:file://)?(.+):(\d+):(\d+)')");
  static const auto* const error = new Pattern(R"re(\s*error: (?:'(.*)'|"(.*)"|\|-))re");
  std::vector<Diagnostic> diagnostics;
  Diagnostic current;
  bool open = false;
  bool takes_next = false;  // the line after "error: |-"
  const auto close = [&] {
    if (open && !current.file.empty()) diagnostics.push_back(current);
    open = false;
  };
  for (absl::string_view line : SplitLines(output)) {
    std::string name, file, row, column, text, other;
    if (takes_next) {
      absl::StrAppend(&current.message, ": ", ToUtf8(absl::StripAsciiWhitespace(line)));
      takes_next = false;
    } else if (point->Matches(line, &name)) {
      close();
      open = true;
      current = Diagnostic();
      current.message = ToUtf8(name);
    } else if (open && location->Matches(line, &file, &row, &column)) {
      current.file = WorkspaceFile(file, base, project.workspace);
      current.line = PositiveNumber(row);
      current.column = PositiveNumber(column);
    } else if (open && error->Matches(line, &text, &other)) {
      text += other;
      takes_next = text.empty();
      if (!takes_next) absl::StrAppend(&current.message, ": ", ToUtf8(text));
    } else if (absl::StripAsciiWhitespace(line) == "...") {
      close();
    }
  }
  close();
  return diagnostics;
}

class NpmTestValidator : public ToolValidator {
 public:
  NpmTestValidator() : ToolValidator("npm-test", Level::kTest) {}
  bool Applies(const Project& project) const override { return !TestFolder(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    query.names = {"npm"};
    query.install_hint = "npm is not installed: apt-get install npm";
    return FindToolchain(query, environment, runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const std::string folder = TestFolder(*request.project);
    if (folder.empty()) return run->InfraError("package.json has no test script any more");
    return WithOneRepeat(request, [&] { return Attempt(request, folder, run); });
  }

  static absl::StatusOr<ValidationResult> Attempt(const ValidationRequest& request,
                                                  const std::string& folder, ValidationRun* run) {
    const Project& project = *request.project;
    Command command;
    command.cwd = CleanPath(JoinPath(project.workspace, folder));
    command.argv = {run->toolchain().program, "test"};
    command.set = {{"CI", "1"},
                   {"NO_COLOR", "1"},
                   {"npm_config_cache", JoinPath(request.state_dir, "npm")},
                   {"npm_config_update_notifier", "false"},
                   {"npm_config_fund", "false"},
                   {"npm_config_audit", "false"}};
    command.unset = {"NODE_OPTIONS", "FORCE_COLOR", "NODE_TEST_CONTEXT"};
    run->result().command.clear();
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    const std::optional<TestCounts> counts = ReadCounts(output);
    run->result().tests = counts;
    run->result().named_tests = ReadNames(output);
    if (process->exit_code == 126 || process->exit_code == 127) {
      return run->InfraError(
          "the test script's command was not found: install the project's packages (npm ci)",
          output);
    }
    std::vector<Diagnostic> diagnostics = ReadTap(output, project, command.cwd);
    if (process->exit_code != 0) {
      // npm passes on the script's own status: not zero is a failed test run.
      std::string message = absl::StrCat("npm test ended with exit status ", process->exit_code);
      if (counts.has_value() && counts->failed > 0) message = CountsMessage(*counts);
      return run->Fail(std::move(diagnostics), message, output);
    }
    // A todo test of TAP may say "not ok" in a run that passed; the counts leave it out.
    if (!counts.has_value()) return JudgeByReport(run->Pass({}), output);
    if (counts->failed == 0) return run->Pass({});
    return run->Fail(std::move(diagnostics),
                     absl::StrCat(CountsMessage(*counts), ", though npm test ended with success"),
                     output);
  }
};

}  // namespace

std::unique_ptr<Validator> NewNpmTestValidator() { return std::make_unique<NpmTestValidator>(); }

}  // namespace stile
