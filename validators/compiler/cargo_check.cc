// cargo trusts mtimes, which the gate makes fresh for changed inputs. It exits 101 for wrong code,
// for a wrong manifest and for its own trouble alike, so the diagnostics tell them apart: paths in
// them are relative to the root of the cargo workspace, not to the package.
#include "validators/compiler/cargo_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cargo_examples.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/files_read.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// --keep-going is stable since 1.74: "cargo 1.95.0 (f2d3ce0bd 2026-03-21)".
constexpr size_t kMaxConfigBytes = size_t{1} << 20;

bool KnowsKeepGoing(absl::string_view version) {
  static const Pattern* const kVersion = new Pattern(R"(cargo 1\.(\d+)\..*)");
  std::string minor;
  return kVersion->Matches(version, &minor) && PositiveNumber(minor) >= 74;
}

// Whether a configuration of cargo that holds for the project gives targets flags.
bool HasTargetFlags(const Project& project, const Environment& environment) {
  std::vector<std::string> folders;
  for (const std::string& folder : FoldersUpward(project)) {
    folders.push_back(JoinPath(JoinPath(project.workspace, folder), ".cargo"));
  }
  for (std::string up = DirName(project.workspace); up.size() > 1; up = DirName(up)) {
    folders.push_back(JoinPath(up, ".cargo"));
  }
  if (const auto home = environment.find("CARGO_HOME"); home != environment.end()) {
    folders.push_back(home->second);
  }
  if (const auto home = environment.find("HOME"); home != environment.end()) {
    folders.push_back(JoinPath(home->second, ".cargo"));
  }
  return std::any_of(folders.begin(), folders.end(), [](const std::string& folder) {
    for (const char* name : {"config.toml", "config"}) {
      const std::string text =
          DiskFileSystem()->ReadFile(JoinPath(folder, name), kMaxConfigBytes).value_or("");
      if (absl::StrContains(text, "target") && absl::StrContains(text, "rustflags")) return true;
    }
    return false;
  });
}

// Whether a manifest of the project has features: `[features]`, or dependencies that are optional.
bool DeclaresFeatures(const Project& project) {
  return std::any_of(project.files.begin(), project.files.end(), [&](const std::string& path) {
    if (BaseName(path) != "Cargo.toml") return false;
    const std::string text =
        DiskFileSystem()->ReadFile(JoinPath(project.workspace, path), kMaxConfigBytes).value_or("");
    return absl::StrContains(text, "[features]") || absl::StrContains(text, "optional");
  });
}

class CargoCheckValidator : public ToolValidator {
 public:
  CargoCheckValidator() : ToolValidator("cargo-check", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override { return {"rustc", "clippy-driver"}; }
  bool Applies(const Project& project) const override { return project.Has("Cargo.toml"); }
  bool Sets(BuildSwitch::Kind kind) const override { return kind != BuildSwitch::Kind::kTag; }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindRustProgram("cargo", project, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return CargoDependencies(project);
  }

  absl::StatusOr<ValidationResult> CheckExamples(
      const ValidationRequest& request, const std::vector<DocExample>& examples) const override {
    const Toolchain cargo = Probe(*request.project, request.environment, request.runner);
    return WithColdRetry(request, {cargo}, [&](const ValidationRequest& attempt) {
      return CheckCargoExamples(attempt, cargo, examples);
    });
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return request.warns_of_deprecated ? CheckDeprecated(request, run)
                                       : Check(request, /*all_features=*/false, run);
  }

  static void SetCfg(const std::vector<std::string>& arguments, Command* command) {
    if (arguments.empty()) return;
    command->set["CARGO_ENCODED_RUSTFLAGS"] = absl::StrJoin(arguments, "\x1f");
  }

  // As the project is built, and then with all of its features on, if it builds so: dependencies
  // that only a feature brings may not be there.
  static absl::StatusOr<ValidationResult> CheckDeprecated(const ValidationRequest& request,
                                                          ValidationRun* run) {
    STILE_ASSIGN_OR_RETURN(ValidationResult result, Check(request, /*all_features=*/false, run));
    const bool builds = result.verdict == Verdict::kPass;
    if (!builds || !DeclaresFeatures(*request.project)) return result;
    ValidationRun again(request, run->toolchain());
    STILE_ASSIGN_OR_RETURN(const ValidationResult more,
                           Check(request, /*all_features=*/true, &again));
    if (more.verdict != Verdict::kPass || !more.files_read.has_value()) return result;
    result.with_all_features = true;
    result.diagnostics.insert(result.diagnostics.end(), more.diagnostics.begin(),
                              more.diagnostics.end());
    if (!result.files_read.has_value()) return result;
    std::vector<std::string>& read = *result.files_read;
    read.insert(read.end(), more.files_read->begin(), more.files_read->end());
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    return result;
  }

  static absl::StatusOr<ValidationResult> Check(const ValidationRequest& request, bool all_features,
                                                ValidationRun* run) {
    const Project& project = *request.project;
    std::vector<std::string> arguments = {"check", "--all-targets", "--message-format=json"};
    if (request.warns_of_deprecated) {
      // Joined with the flags of the project, which a variable would replace. Flags of targets come
      // in place of those of the build.
      const char* const section =
          HasTargetFlags(project, request.environment) ? R"x(target."cfg(all())")x" : "build";
      arguments.insert(
          arguments.end(),
          {"--config", absl::StrCat(section, R"(.rustflags=["--force-warn", "deprecated"])")});
    }
    if (all_features) arguments.push_back("--all-features");
    if (KnowsKeepGoing(run->toolchain().version)) arguments.push_back("--keep-going");
    const BuildSwitches switches =
        request.switches == nullptr ? BuildSwitches() : *request.switches;
    for (std::string& argument : FeatureArguments(switches)) {
      arguments.push_back(std::move(argument));
    }
    Command command =
        CargoCommand(run->toolchain(), arguments, JoinPath(request.state_dir, "target"));
    command.display = "cargo check --all-targets";
    command.readable = ReadableCargoMessage;
    if (!switches.empty()) absl::StrAppend(&command.display, " ", BuildSwitchText(switches));
    SetCfg(CfgArguments(switches, /*with_features=*/false), &command);
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    std::vector<Diagnostic> diagnostics =
        ParseCargoJson(output, CargoWorkspaceRoot(project), project.workspace);
    if (process->exit_code == 0 && CountErrors(diagnostics) == 0 &&
        !CargoSaysFinished(process->out)) {
      return run->InfraError("cargo ended without saying that the build is finished", output);
    }
    // A build that fails leaves no depfile for the crates that it could not compile.
    if (process->exit_code == 0) {
      run->result().files_read =
          FilesReadByCargo(process->out, CargoWorkspaceRoot(project), project.workspace);
    }
    return run->Conclude(process->exit_code, std::move(diagnostics), process->err);
  }
};

}  // namespace

std::unique_ptr<Validator> NewCargoCheckValidator() {
  return std::make_unique<CargoCheckValidator>();
}

}  // namespace stile
