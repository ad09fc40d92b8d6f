// Maven needs its plugins, and gets them from the network when the local repository has none: that
// it cannot is infra_error. It exits 1 for everything. What earlier builds left in target/ is not
// copied.
#include "validators/compiler/maven.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/jvm_build.h"
#include "validators/compiler/scratch_copy.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/javac_diagnostics.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

class MavenValidator : public ToolValidator {
 public:
  explicit MavenValidator(Level level)
      : ToolValidator(level == Level::kBuild ? "maven" : "maven-test", level, State::kRetriedCold) {
  }

  std::vector<std::string> compilers() const override { return {"java", "javac"}; }
  bool Applies(const Project& project) const override { return project.Has("pom.xml"); }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    const std::string wrapper = JoinPath(OutermostFolderWith(project, {"pom.xml"}), "mvnw");
    query.names = {"mvn"};
    if (FileExists(wrapper) && !FindExecutable("mvn", environment).ok()) query.names = {wrapper};
    query.install_hint = "apt install maven default-jdk-headless";
    return FindToolchain(query, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return ModulesWith(project, OutermostFolderWith(project, {"pom.xml"}), {"pom.xml"});
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::string top = OutermostFolderWith(project, {"pom.xml"});
    const std::string tree = request.copy_dir();
    const std::string below = WorkspaceFile(top, project.workspace, project.workspace);
    const std::string folder = top == project.workspace ? tree : JoinPath(tree, below);
    ScratchCopy copy{
        top, folder, JoinPath(request.state_dir, "copied.json"), {"target", "node_modules"}};
    std::vector<std::string> changed;
    for (const std::string& path : request.changed) {
      changed.push_back(WorkspaceFile(JoinPath(project.workspace, path), top, top));
    }
    const auto synced = SyncScratchCopy(copy, changed);
    if (!synced.ok()) {
      return run->InfraError(absl::StrCat("copying: ", synced.status().message()));
    }
    // Always compiled whole: maven notices a change within a module, but not in the modules that it
    // uses, and the class of a deleted file would satisfy whoever still uses it.
    STILE_RETURN_IF_ERROR(WipeOutputs(folder));
    Command command;
    command.cwd = folder;
    command.argv = {run->toolchain().program,
                    "-B",
                    "--fail-at-end",
                    "-Dstyle.color=never",
                    "-Dmaven.test.failure.ignore=false",
                    level() == Level::kBuild ? "test-compile" : "test"};
    command.set = {{"LC_ALL", "C.UTF-8"}};
    command.unset = {"MAVEN_ARGS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_JAVAC_OPTIONS"};
    command.display = level() == Level::kBuild ? "mvn test-compile" : "mvn test";
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return run->result();
    const std::string output = AllOutput(*process);
    std::vector<Diagnostic> diagnostics = ParseMaven(output, folder, tree);
    ColumnsToBytes(project.workspace, ColumnUnit::kUtf16Tab8, &diagnostics);
    if (level() == Level::kTest) {
      run->result().tests = ReadTestReports(folder, "surefire-reports", project,
                                            &run->result().named_tests, &diagnostics);
    }
    if (process->exit_code != 0 && CountErrors(diagnostics) == 0) {
      return run->InfraError(
          absl::StrCat(IsDownloadTrouble(output)
                           ? "maven could not get what it needs (is the network missing, or the "
                             "local repository empty?): "
                           : "maven: ",
                       FirstErrorLine(output)),
          output);
    }
    return run->Conclude(process->exit_code, std::move(diagnostics), output);
  }

  // As "clean" would, which is a plugin of its own that an offline repository may lack.
  static absl::Status WipeOutputs(const std::string& folder) {
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(folder));
    for (const std::string& name : names) {
      const std::string path = JoinPath(folder, name);
      if (!DirectoryExists(path)) continue;
      if (name == "target") {
        STILE_RETURN_IF_ERROR(RemoveTree(path));
      } else if (FileExists(JoinPath(path, "pom.xml"))) {
        STILE_RETURN_IF_ERROR(WipeOutputs(path));
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Validator> NewMavenValidator(Level level) {
  return std::make_unique<MavenValidator>(level);
}

}  // namespace stile
