#include "validators/compiler/python_project.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"

namespace stile {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;

struct Place {
  const char* file;
  const char* section;  // "" : the file alone is the configuration
};

// Whether some line opens `section` or a part of it: "[tool.mypy]", "[[tool.mypy.overrides]]".
bool HasSection(absl::string_view text, absl::string_view section) {
  for (absl::string_view line : SplitLines(text)) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "[")) continue;
    absl::ConsumePrefix(&line, "[");
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, section)) continue;
    if (line.empty() || absl::StrContains("].- \t", line.substr(0, 1))) return true;
  }
  return false;
}

std::optional<CheckerConfig> FindConfig(const Project& project, const std::vector<Place>& places) {
  for (const std::string& folder : FoldersUpward(project)) {
    for (const Place& place : places) {
      absl::StatusOr<std::string> text = DiskFileSystem()->ReadFile(
          JoinPath(JoinPath(project.workspace, folder), place.file), kMaxConfigBytes);
      if (!text.ok()) continue;
      const absl::string_view section = place.section;
      if (section.empty() || HasSection(*text, section)) {
        return CheckerConfig{folder, place.file, *std::move(text)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<CheckerConfig> FindMypyConfig(const Project& project) {
  return FindConfig(project, {{"mypy.ini", ""},
                              {".mypy.ini", ""},
                              {"pyproject.toml", "tool.mypy"},
                              {"setup.cfg", "mypy"}});
}

std::optional<CheckerConfig> FindPyrightConfig(const Project& project) {
  return FindConfig(project, {{"pyrightconfig.json", ""}, {"pyproject.toml", "tool.pyright"}});
}

std::vector<std::string> VirtualEnvironmentPrograms(const Project& project,
                                                    const std::string& name) {
  std::vector<std::string> programs;
  for (const std::string& folder : FoldersUpward(project)) {
    for (const char* environment : {".venv", "venv"}) {
      const std::string path =
          JoinPath(JoinPath(project.workspace, folder), absl::StrCat(environment, "/bin/", name));
      if (FileExists(path)) programs.push_back(path);
    }
  }
  return programs;
}

Toolchain FindPython(const Project& project, const Environment& environment,
                     ProcessRunner* runner) {
  ProgramQuery query;
  query.install_hint = "Python is not installed: apt-get install python3";
  // The program of a virtual environment is a link whose own place matters: it is not resolved.
  query.names = VirtualEnvironmentPrograms(project, "python");
  if (!query.names.empty()) {
    Toolchain own = FindToolchain(query, environment, runner);
    if (own.available) return own;
  }
  query.names = {"python3", "python"};
  query.real_path_arguments = {"-c", "import sys; print(sys.executable)"};
  return FindToolchain(query, environment, runner);
}

Environment PythonVariables(const std::string& state_dir) {
  return {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONPYCACHEPREFIX", JoinPath(state_dir, "pycache")},
          {"PYTHONIOENCODING", "utf-8"},    {"PYTHONUTF8", "1"},
          {"PYTHONUNBUFFERED", "1"},        {"NO_COLOR", "1"}};
}

}  // namespace stile
