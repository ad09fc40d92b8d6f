#include "validators/builtin_validators.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "validators/compiler/cargo_check.h"
#include "validators/compiler/cc_syntax.h"
#include "validators/compiler/cmake_build.h"
#include "validators/compiler/command_validator.h"
#include "validators/compiler/compile_commands.h"
#include "validators/compiler/dotnet_build.h"
#include "validators/compiler/go_build.h"
#include "validators/compiler/gradle.h"
#include "validators/compiler/javac.h"
#include "validators/compiler/make_build.h"
#include "validators/compiler/maven.h"
#include "validators/compiler/node_check.h"
#include "validators/compiler/python_compile.h"
#include "validators/compiler/python_types.h"
#include "validators/compiler/rustc.h"
#include "validators/compiler/typescript.h"
#include "validators/diagnostics/parsers.h"
#include "validators/test_runner/cargo_test.h"
#include "validators/test_runner/ctest.h"
#include "validators/test_runner/dotnet_test.h"
#include "validators/test_runner/go_test.h"
#include "validators/test_runner/gradle_test.h"
#include "validators/test_runner/make_test.h"
#include "validators/test_runner/maven_test.h"
#include "validators/test_runner/npm_test.h"
#include "validators/test_runner/pytest.h"

namespace stile {
namespace {

using Factory = std::unique_ptr<Validator> (*)();

// Every built-in validator. Which of them judges a project, and in what order they are asked, is
// said in agents/languages/*.yaml.
constexpr Factory kBuiltin[] = {
    // TypeScript and JavaScript
    &NewTypeScriptValidator,
    &NewNodeCheckValidator,
    &NewNpmTestValidator,
    // Python
    &NewMypyValidator,
    &NewPyrightValidator,
    &NewPyCompileValidator,
    &NewPytestValidator,
    // Go
    &NewGoBuildValidator,
    &NewGoTestValidator,
    // C#
    &NewDotnetBuildValidator,
    &NewDotnetTestValidator,
    // Rust
    &NewCargoCheckValidator,
    &NewRustcValidator,
    &NewCargoTestValidator,
    // Java
    [] { return NewMavenValidator(Level::kBuild); },
    &NewMavenTestValidator,
    [] { return NewGradleValidator(Level::kBuild); },
    &NewGradleTestValidator,
    &NewJavacValidator,
    // C and C++
    &NewCMakeBuildValidator,
    &NewMakeBuildValidator,
    &NewCompileCommandsValidator,
    &NewCcSyntaxValidator,
    &NewCTestValidator,
    &NewMakeTestValidator,
};

bool IsId(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_';
  });
}

absl::StatusOr<absl::Duration> ReadTimeout(const Yaml& yaml) {
  STILE_ASSIGN_OR_RETURN(const std::string text, yaml.AsString());
  absl::Duration timeout;
  if (!absl::ParseDuration(text, &timeout) || timeout <= absl::ZeroDuration() ||
      timeout > absl::Hours(24)) {
    return yaml.Error(
        absl::StrCat("'", text, "' is no timeout: write it as '90s' or '10m', at most 24h"));
  }
  return timeout;
}

absl::StatusOr<CommandValidatorSettings> ReadSettings(const std::string& id, const Yaml& yaml) {
  CommandValidatorSettings settings;
  settings.id = id;
  if (!IsId(id)) {
    return yaml.Error(absl::StrCat("'", id, "' is no id: lower-case letters, digits, '-' and '_'"));
  }
  STILE_RETURN_IF_ERROR(CheckKeys(
      yaml, {"level", "command", "project_files", "diagnostics", "install_hint", "timeout"}));
  if (const Yaml* level = yaml.Find("level")) {
    STILE_ASSIGN_OR_RETURN(const std::string name, level->AsString());
    if (name != "build" && name != "test") {
      return level->Error(absl::StrCat("'", name, "' is no level: use 'build' or 'test'"));
    }
    settings.level = name == "build" ? Level::kBuild : Level::kTest;
  }
  const Yaml* command = yaml.Find("command");
  if (command == nullptr) return yaml.Error("'command' is missing");
  if (command->kind != Yaml::Kind::kList) {
    return command->Error("'command' must be a list: the program and its arguments, no shell");
  }
  STILE_ASSIGN_OR_RETURN(settings.command, command->AsStringList());
  if (settings.command.empty() || settings.command.front().empty()) {
    return command->Error("'command' names no program");
  }
  if (const Yaml* files = yaml.Find("project_files")) {
    STILE_ASSIGN_OR_RETURN(settings.project_files, files->AsStringList());
  }
  if (const Yaml* diagnostics = yaml.Find("diagnostics")) {
    STILE_ASSIGN_OR_RETURN(settings.diagnostics, diagnostics->AsString());
    if (FindDiagnosticsParser(settings.diagnostics) == nullptr) {
      return diagnostics->Error(absl::StrCat("'", settings.diagnostics,
                                             "' is no format of diagnostics: use one of ",
                                             absl::StrJoin(DiagnosticsParserNames(), ", ")));
    }
  }
  if (const Yaml* hint = yaml.Find("install_hint")) {
    STILE_ASSIGN_OR_RETURN(settings.install_hint, hint->AsString());
  }
  if (const Yaml* timeout = yaml.Find("timeout")) {
    STILE_ASSIGN_OR_RETURN(settings.timeout, ReadTimeout(*timeout));
  }
  return settings;
}

}  // namespace

absl::StatusOr<std::vector<CommandValidatorSettings>> ParseCommandValidators(const Yaml& yaml) {
  if (yaml.kind == Yaml::Kind::kNull) return std::vector<CommandValidatorSettings>();
  if (yaml.kind != Yaml::Kind::kMap)
    return yaml.Error("'validators' must be a map of id to settings");
  std::vector<CommandValidatorSettings> declared;
  for (const auto& [id, value] : yaml.keys) {
    STILE_ASSIGN_OR_RETURN(CommandValidatorSettings settings, ReadSettings(id, value));
    declared.push_back(std::move(settings));
  }
  return declared;
}

std::vector<std::unique_ptr<Validator>> NewBuiltinValidators(
    const std::vector<CommandValidatorSettings>& declared) {
  std::set<std::string> replaced;
  for (const CommandValidatorSettings& settings : declared) replaced.insert(settings.id);
  std::vector<std::unique_ptr<Validator>> validators;
  for (const Factory factory : kBuiltin) {
    std::unique_ptr<Validator> validator = factory();
    if (replaced.count(validator->id()) == 0) validators.push_back(std::move(validator));
  }
  for (const CommandValidatorSettings& settings : declared) {
    validators.push_back(NewCommandValidator(settings));
  }
  return validators;
}

}  // namespace stile
