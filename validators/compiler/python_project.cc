#include "validators/compiler/python_project.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ini_settings.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
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

// The paths that the configuration names; empty if it names none, or names packages or modules.
std::vector<std::string> NamedPaths(const CheckerConfig& config) {
  if (absl::EndsWith(config.file, ".json")) {
    const absl::StatusOr<Json> json = ParseJson(StripJsonComments(config.text));
    const Json* include = json.ok() ? JsonMember(*json, "include") : nullptr;
    if (include == nullptr) return {};
    std::vector<std::string> paths;
    for (const Json& path : *include) {
      if (path.is_string()) paths.push_back(path.get<std::string>());
    }
    return paths;
  }
  const bool is_toml = absl::EndsWith(config.file, ".toml");
  std::vector<std::string> paths;
  for (const IniSetting& setting :
       IniSettings(config.text, is_toml ? SettingsSyntax::kToml : SettingsSyntax::kIni)) {
    const bool is_mypy = setting.section == (is_toml ? "[tool.mypy]" : "[mypy]");
    const bool is_pyright = setting.section == "[tool.pyright]";
    if (is_mypy && (setting.key == "packages" || setting.key == "modules")) return {};
    if ((is_mypy && setting.key == "files") || (is_pyright && setting.key == "include")) {
      for (std::string& path : SettingWords(setting.value)) paths.push_back(std::move(path));
    }
  }
  return paths;
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

bool ReadsProject(const CheckerConfig& config, const Project& project) {
  const std::string root = CleanPath(project.root);
  if (CleanPath(config.folder) == root) return true;
  const std::vector<std::string> paths = NamedPaths(config);
  return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](absl::string_view path) {
           // Checkers replace variables and "~"; an absolute path may lead anywhere.
           if (absl::StrContains(path, '$') || absl::StartsWith(path, "~") ||
               absl::StartsWith(path, "/")) {
             return true;
           }
           // Of a glob, the folder before its first wildcard.
           const size_t wildcard = path.find_first_of("*?[");
           const std::string fixed = wildcard == absl::string_view::npos
                                         ? std::string(path)
                                         : DirName(path.substr(0, wildcard));
           const std::string place = CleanPath(JoinPath(config.folder, fixed));
           return IsWithin(root, place) || IsWithin(place, root);
         });
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
