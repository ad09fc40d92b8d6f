// One interpreter compiles all files in memory: `python -m py_compile` would write .pyc files and
// stops reading each at its first fault just the same. The script says at its end how many files it
// compiled; without that word nothing was judged, whatever the exit status.
#include "validators/compiler/python_compile.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/python_project.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/python_diagnostics.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// Reads NUL-separated paths from standard input. Works from Python 3.6 on.
constexpr char kScript[] = R"py(
import json, os, sys, warnings
def say(name, severity, code, message, line, column):
    shown = os.fsencode(name).decode("utf-8", "replace")
    print(json.dumps({"file": shown, "severity": severity, "code": code, "message": str(message),
                      "line": line or 0, "column": column or 0}))
count = failed = 0
for raw in sys.stdin.buffer.read().split(b"\0"):
    if not raw:
        continue
    name = os.fsdecode(raw)
    count += 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with open(name, "rb") as file:
                source = file.read()
            compile(source, name, "exec", dont_inherit=True)
        except SyntaxError as error:
            failed = 1
            column = error.offset if error.text else 0
            say(name, "error", type(error).__name__, error.msg, error.lineno, column)
        except (ValueError, RecursionError, MemoryError, OSError) as error:
            failed = 1
            say(name, "error", type(error).__name__, error, 0, 0)
    for warning in caught:
        if issubclass(warning.category, (SyntaxWarning, DeprecationWarning)):
            say(name, "warning", warning.category.__name__, warning.message, warning.lineno, 0)
print(json.dumps({"compiled": count}))
sys.exit(failed)
)py";

std::optional<int64_t> CompiledCount(absl::string_view output) {
  std::optional<int64_t> count;
  for (absl::string_view line : SplitLines(output)) {
    const absl::StatusOr<Json> json = ParseJson(line);
    if (json.ok() && JsonInt(*json, "compiled").has_value()) count = JsonInt(*json, "compiled");
  }
  return count;
}

class PyCompileValidator : public ToolValidator {
 public:
  PyCompileValidator() : ToolValidator("py-compile", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"python*", "pypy*"}; }
  CanaryKind canary() const override { return CanaryKind::kSyntax; }
  bool judges_single_files() const override { return true; }
  bool Applies(const Project&) const override { return true; }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindPython(project, environment, runner);
  }

  // Syntax depends on nothing else.
  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::vector<std::string>();
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::vector<std::string> files = FilesWithExtension(project, {".py", ".pyi"});
    std::vector<std::string> paths;
    for (const std::string& file : files) paths.push_back(JoinPath(project.workspace, file));

    Command command;
    // -I: neither the folder nor the environment can put modules in the way of the script's
    // imports.
    command.argv = {run->toolchain().program, "-I", "-X", "utf8", "-B", "-c", kScript};
    command.stdin_text = absl::StrJoin(paths, absl::string_view("\0", 1));
    command.set = PythonVariables(request.state_dir);
    command.display = absl::StrCat("python3 -m py_compile (", Count(files.size(), "file"), ")");
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    if (!process.has_value()) return run->result();
    if (CompiledCount(process->out) != static_cast<int64_t>(files.size())) {
      return run->InfraError("the interpreter did not get through all files", AllOutput(*process));
    }
    std::vector<Diagnostic> diagnostics =
        ParsePyCompile(process->out, project.absolute_root(), project.workspace);
    ColumnsToBytes(project.workspace, ColumnUnit::kCodePoint, &diagnostics);
    run->result().files_read = files;
    return run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
  }
};

}  // namespace

std::unique_ptr<Validator> NewPyCompileValidator() {
  return std::make_unique<PyCompileValidator>();
}

}  // namespace stile
