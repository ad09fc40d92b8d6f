// Whatever a test target runs, make exits 2 when one of its commands failed; that is all that is
// known, so it is a failure of the tests once the build before it passed.
#include "validators/test_runner/make_test.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/make_build.h"
#include "validators/compiler/syntax_jobs.h"
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

class MakeTestValidator : public Validator {
 public:
  const std::string& id() const override { return id_; }
  Level level() const override { return Level::kTest; }
  bool Applies(const Project& project) const override { return !TestTarget(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindMake(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::nullopt;
  }

  std::vector<std::string> compilers() const override { return CCompilers(); }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    return WithColdRetry(
        request, MakeTools(request.environment, request.runner),
        [this](const ValidationRequest& attempt) -> absl::StatusOr<ValidationResult> {
          ValidationRun run(attempt, Probe(*attempt.project, attempt.environment, attempt.runner));
          if (auto unusable = run.Unusable()) return *unusable;
          std::string folder;
          STILE_ASSIGN_OR_RETURN(const ValidationResult built,
                                 BuildWithMake(attempt, &run, &folder));
          if (built.verdict != Verdict::kPass) return built;
          return WithOneRepeat(attempt, [&] { return Test(attempt, folder, built, &run); });
        });
  }

 private:
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

  const std::string id_ = "make-test";
};

}  // namespace

std::unique_ptr<Validator> NewMakeTestValidator() { return std::make_unique<MakeTestValidator>(); }

}  // namespace stile
