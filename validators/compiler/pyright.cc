// Quirks of pyright that this file answers to:
// - Exit status 1 is "errors were found", 3 "the configuration file cannot be read", both
//   documented; a setting it does not know is only a line on stderr.
// - It keeps no state, so there is nothing to go stale.
// - It reads what its configuration names, not what it is told; its JSON says how many files that
//   was.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/python_project.h"
#include "validators/compiler/python_types.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/python_diagnostics.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// Whether the output ends in pyright's own summary.
bool HasSummary(absl::string_view output) {
  const size_t begin = output.find('{');
  if (begin == absl::string_view::npos) return false;
  const absl::StatusOr<Json> json = ParseJson(output.substr(begin));
  const Json* summary = json.ok() ? JsonMember(*json, "summary") : nullptr;
  return summary != nullptr && JsonInt(*summary, "filesAnalyzed").value_or(0) > 0;
}

class PyrightValidator : public ToolValidator {
 public:
  PyrightValidator() : ToolValidator("pyright", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"pyright*", "**/pyright/**"}; }
  bool Applies(const Project& project) const override {
    const std::optional<CheckerConfig> config = FindPyrightConfig(project);
    return config.has_value() && ReadsProject(*config, project);
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    for (const std::string& folder : FoldersUpward(project)) {
      query.names.push_back(
          CleanPath(JoinPath(JoinPath(project.workspace, folder), "node_modules/.bin/pyright")));
    }
    for (const std::string& program : VirtualEnvironmentPrograms(project, "pyright")) {
      query.names.push_back(program);
    }
    query.names.push_back("pyright");
    query.install_hint =
        "pyright is not installed, and projects that configure it need it: npm install -g pyright";
    query.follow_links = true;
    return FindToolchain(query, environment, runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::optional<CheckerConfig> config = FindPyrightConfig(project);
    if (!config.has_value()) {
      return run->InfraError("the project does not configure pyright any more");
    }

    Command command;
    command.cwd = CleanPath(JoinPath(project.workspace, config->folder));
    command.argv = {run->toolchain().program, "--outputjson", "--project",
                    JoinPath(command.cwd, config->file)};
    command.display = "pyright --outputjson";
    const Toolchain python = FindPython(project, request.environment, request.runner);
    if (python.available) {
      command.argv.push_back("--pythonpath");
      command.argv.push_back(python.program);
    }
    command.set = PythonVariables(request.state_dir);
    command.set["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1";
    command.unset = {"NODE_OPTIONS"};
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    std::vector<Diagnostic> diagnostics =
        ParsePyright(process->out, command.cwd, project.workspace);
    if (process->exit_code == 3) {
      Diagnostic fault;
      fault.file = CleanPath(JoinPath(config->folder, config->file));
      fault.message = "pyright cannot read its configuration";
      return run->Fail({fault}, fault.message, AllOutput(*process));
    }
    if (process->exit_code == 0 && !HasSummary(process->out)) {
      return run->InfraError("pyright ended without its summary, or read no file",
                             AllOutput(*process));
    }
    ColumnsToBytes(project.workspace, ColumnUnit::kUtf16, &diagnostics);
    return run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
  }
};

}  // namespace

std::unique_ptr<Validator> NewPyrightValidator() { return std::make_unique<PyrightValidator>(); }

}  // namespace stile
