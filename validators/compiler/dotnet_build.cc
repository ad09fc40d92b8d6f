// The compiler server and MSBuild's reusable nodes would outlive the call, so both are off: a warm
// build of a small project takes 2.0 s instead of 1.8 s. dotnet exits 1 for wrong code and for a
// failed restore alike; a package source that cannot be reached is no fault of the code.
#include "validators/compiler/dotnet_build.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "runtime/base/status.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/dotnet_project.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/msbuild_diagnostics.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// Errors that tell of the machine or of our state, not of the code: an unreachable package source,
// and assets that a build without restore missed.
bool HasCode(const std::vector<Diagnostic>& diagnostics,
             std::initializer_list<absl::string_view> codes) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError &&
           std::find(codes.begin(), codes.end(), diagnostic.code) != codes.end();
  });
}

class DotnetBuildValidator : public ToolValidator {
 public:
  DotnetBuildValidator() : ToolValidator("dotnet-build", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override {
    return {"csc", "csc.dll", "vbc", "vbc.dll", "fsc", "fsc.dll"};
  }
  bool Applies(const Project& project) const override { return !DotnetEntries(project).empty(); }

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
    const Project& project = *request.project;
    const bool restore = DotnetNeedsRestore(request);
    std::vector<Diagnostic> diagnostics;
    std::string output;
    int exit_code = 0;
    for (const std::string& entry : DotnetEntries(project)) {
      std::vector<std::string> arguments = {"build", entry};
      for (std::string& argument : DotnetBuildSwitches(request.state_dir)) {
        arguments.push_back(std::move(argument));
      }
      if (!restore) arguments.push_back("--no-restore");
      Command command = DotnetCommand(run->toolchain(), arguments);
      command.display = ShellText({"dotnet", "build", entry});
      STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
      if (!process.has_value()) return run->result();
      if (process->exit_code != 0) exit_code = process->exit_code;
      const std::string words = AllOutput(*process);
      output += words;
      for (Diagnostic& diagnostic :
           ParseMsBuild(words, project.absolute_root(), project.workspace)) {
        diagnostics.push_back(std::move(diagnostic));
      }
    }
    if (HasCode(diagnostics, {"NU1301"})) {
      return run->InfraError("dotnet restore could not reach a package source", output);
    }
    if (HasCode(diagnostics, {"NETSDK1004", "NETSDK1064"})) {
      return run->InfraError("the restored packages are gone", output);
    }
    ColumnsToBytes(project.workspace, ColumnUnit::kUtf16, &diagnostics);
    // Only the C# compiler complained, if anything: then the restore before it was fine.
    const bool restored =
        std::all_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
          return diagnostic.severity != Severity::kError || absl::StartsWith(diagnostic.code, "CS");
        });
    ValidationResult result = run->Conclude(exit_code, std::move(diagnostics), output);
    if (restored && result.verdict != Verdict::kInfraError) RememberDotnetRestore(request);
    return result;
  }
};

}  // namespace

std::unique_ptr<Validator> NewDotnetBuildValidator() {
  return std::make_unique<DotnetBuildValidator>();
}

}  // namespace stile
