// Gradle's daemon would outlive the call, so there is none. It exits 1 for everything. In-tree
// .gradle is moved by --project-cache-dir, the build folders by an init script that old and new
// versions understand.
#include "validators/compiler/gradle.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/jvm_build.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/javac_diagnostics.h"

namespace stile {
namespace {

constexpr char kInitScript[] = R"gradle(allprojects { project ->
  def folder = new File(System.getProperty('stile.build'), project.path.replace(':', '/') + '/out')
  try {
    project.layout.buildDirectory.set(folder)
  } catch (Throwable old) {
    project.buildDir = folder
  }
}
)gradle";

class GradleValidator : public ToolValidator {
 public:
  explicit GradleValidator(Level level)
      : ToolValidator(level == Level::kBuild ? "gradle" : "gradle-test", level,
                      State::kRetriedCold) {}

  std::vector<std::string> compilers() const override { return {"java", "javac"}; }
  bool Applies(const Project& project) const override {
    return project.Has("build.gradle") || project.Has("build.gradle.kts") ||
           project.Has("settings.gradle") || project.Has("settings.gradle.kts");
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    const std::string wrapper = JoinPath(Top(project), "gradlew");
    // The project's own version first, which the wrapper may have to download.
    if (FileExists(wrapper)) query.names.push_back(wrapper);
    query.names.push_back("gradle");
    query.install_hint =
        "apt install gradle default-jdk-headless, or see https://gradle.org/install";
    return FindToolchain(query, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return ModulesWith(project, Top(project), {"build.gradle", "build.gradle.kts"});
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::string script = JoinPath(request.state_dir, "redirect.gradle");
    const std::string build = JoinPath(request.state_dir, "build");
    STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(script, kInitScript, 0644, false));
    const std::string top = Top(project);
    Command command;
    command.cwd = top;
    command.argv = {run->toolchain().program,
                    "--no-daemon",
                    "--console=plain",
                    "--continue",
                    "-I",
                    script,
                    absl::StrCat("-Dstile.build=", build),
                    "--project-cache-dir",
                    JoinPath(request.state_dir, "cache"),
                    level() == Level::kBuild ? "testClasses" : "test"};
    command.set = {{"LC_ALL", "C.UTF-8"}};
    command.unset = {"GRADLE_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_JAVAC_OPTIONS"};
    command.display = level() == Level::kBuild ? "gradle testClasses" : "gradle test";
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    std::vector<Diagnostic> diagnostics = ParseGradle(output, top, project.workspace);
    if (level() == Level::kTest) {
      run->result().tests =
          ReadTestReports(build, "test-results", project, &run->result().named_tests, &diagnostics);
    }
    if (process->exit_code != 0 && CountErrors(diagnostics) == 0) {
      return run->InfraError(
          absl::StrCat(
              IsDownloadTrouble(output) ? "gradle could not get what it needs: " : "gradle: ",
              FirstErrorLine(output)),
          output);
    }
    return run->Conclude(process->exit_code, std::move(diagnostics), output);
  }

  static std::string Top(const Project& project) {
    return OutermostFolderWith(
        project, {"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"});
  }
};

}  // namespace

std::unique_ptr<Validator> NewGradleValidator(Level level) {
  return std::make_unique<GradleValidator>(level);
}

}  // namespace stile
