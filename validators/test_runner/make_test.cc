// Whatever a test target runs, make exits 2 when one of its commands failed; that is all that is
// known, so it is a failure of the tests once the build before it passed.
#include "validators/test_runner/make_test.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/make_build.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/make_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

// "test", "check", or "" where the makefile has neither.
std::string TestTarget(const Project& project) {
  static const Pattern* const kTest = new Pattern(R"((?m)^test\s*:(?:[^=]|$))");
  static const Pattern* const kCheck = new Pattern(R"((?m)^check\s*:(?:[^=]|$))");
  const std::string makefile = MakefileOf(project);
  if (makefile.empty()) return "";
  const std::string text = ReadProjectFile(project, makefile).value_or("");
  return kTest->IsIn(text) ? "test" : kCheck->IsIn(text) ? "check" : "";
}

class MakeTestValidator : public ToolValidator {
 public:
  MakeTestValidator() : ToolValidator("make-test", Level::kTest, State::kRetriedCold) {}
  bool Applies(const Project& project) const override { return !TestTarget(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindMake(environment, runner);
  }

  std::vector<std::string> compilers() const override { return CCompilers(); }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    std::string folder;
    STILE_ASSIGN_OR_RETURN(const ValidationResult built, BuildWithMake(request, run, &folder));
    if (built.verdict != Verdict::kPass) return built;
    return WithOneRepeat(request, [&] { return Test(request, folder, built, run); });
  }
  std::vector<Toolchain> StateTools(const ValidationRequest& request,
                                    const Toolchain&) const override {
    return MakeTools(request.environment, request.runner);
  }

  static absl::StatusOr<ValidationResult> Test(const ValidationRequest& request,
                                               const std::string& folder,
                                               const ValidationResult& built, ValidationRun* run) {
    run->result().command = built.command;
    Command command;
    command.cwd = folder;
    command.argv = {run->toolchain().program, TestTarget(*request.project)};
    command.set = {{"LC_ALL", "C.UTF-8"}};
    command.unset = MakeVariables();
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    if (process->exit_code == 0) return JudgeByReport(run->Pass(built.diagnostics), output);
    const std::string tree = request.copy_dir();
    return run->Conclude(process->exit_code, ParseMake(output, folder, tree), output, {2});
  }
};

}  // namespace

std::unique_ptr<Validator> NewMakeTestValidator() { return std::make_unique<MakeTestValidator>(); }

}  // namespace stile
