#ifndef STILE_VALIDATORS_COMPILER_PYTHON_PROJECT_H_
#define STILE_VALIDATORS_COMPILER_PYTHON_PROJECT_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/validator.h"

namespace stile {

// Where a checker is configured for a project: in its root or the nearest folder above it that does
// so, up to the workspace.
struct CheckerConfig {
  std::string folder;  // relative to the workspace; the checker runs there
  std::string file;    // name in that folder
  std::string text;
};

// mypy.ini, .mypy.ini, [tool.mypy] in pyproject.toml, [mypy] in setup.cfg: mypy's own order.
std::optional<CheckerConfig> FindMypyConfig(const Project& project);
// pyrightconfig.json, [tool.pyright] in pyproject.toml.
std::optional<CheckerConfig> FindPyrightConfig(const Project& project);

// Whether the checker that `config` configures reads files below the project's root. False only if
// the configuration belongs to a folder above and lists paths elsewhere (`files` of mypy, `include`
// of pyright): its project runs the same command, and a second run would say the same again.
bool ReadsProject(const CheckerConfig& config, const Project& project);

// The interpreter of the project: of its virtual environment (.venv, venv, upward), else python3 on
// the PATH, version-manager shims resolved.
Toolchain FindPython(const Project& project, const Environment& environment, ProcessRunner* runner);

// Absolute paths of a program in the project's virtual environments, nearest first.
std::vector<std::string> VirtualEnvironmentPrograms(const Project& project,
                                                    const std::string& name);

// Variables for every Python program: nothing is written beside the sources.
Environment PythonVariables(const std::string& state_dir);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_PYTHON_PROJECT_H_
