#include "validators/builtin_validators.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "validators/compiler/build_script.h"
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
#include "validators/compiler/toolchain_age.h"
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

constexpr size_t kMaxGlobs = 500;

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

// A list without empty entries.
absl::Status ReadNames(const Yaml& yaml, absl::string_view key, std::vector<std::string>* names) {
  const Yaml* const list = yaml.Find(key);
  if (list == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*names, list->AsStringList());
  if (names->empty()) return list->Error("the list is empty");
  if (names->size() > kMaxGlobs) return list->Error("the list has too many entries");
  for (const std::string& name : *names) {
    if (name.empty()) return list->Error("the list holds an empty entry");
  }
  return absl::OkStatus();
}

// Which files the validator judges, and how its command gets them.
absl::Status ReadScope(const Yaml& yaml, CommandValidatorSettings* settings) {
  STILE_RETURN_IF_ERROR(ReadNames(yaml, "project_files", &settings->project_files));
  STILE_RETURN_IF_ERROR(ReadNames(yaml, "languages", &settings->languages));
  STILE_RETURN_IF_ERROR(ReadNames(yaml, "files", &settings->files));
  for (const std::string& glob : settings->files) {
    if (absl::StartsWith(glob, "/") || absl::StartsWith(glob, "./") ||
        absl::StrContains(glob, "..")) {
      return yaml.Find("files")->Error(absl::StrCat(
          "'", glob, "' must be relative to the workspace, without './' and '..': \"**/*.proto\""));
    }
  }
  if (!settings->files.empty() && !settings->languages.empty()) {
    return yaml.Find("languages")->Error("use either 'files' or 'languages'");
  }
  if (const Yaml* each = yaml.Find("each")) {
    STILE_ASSIGN_OR_RETURN(settings->each, each->AsBool());
  }
  if (const Yaml* network = yaml.Find("network")) {
    STILE_ASSIGN_OR_RETURN(settings->network, network->AsBool());
  }
  const Yaml& command = *yaml.Find("command");
  bool names_files = false;
  for (const std::string& word : settings->command) {
    if (!absl::StrContains(word, "{files}")) continue;
    names_files = true;
    if (word != "{files}" && !settings->each) {
      return command.Error(absl::StrCat("'", word,
                                        "': {files} must be a word of its own, unless 'each: true' "
                                        "runs the command once for each file"));
    }
  }
  if (settings->each && !names_files) {
    return yaml.Find("each")->Error("'each: true' needs the word \"{files}\" in 'command'");
  }
  return absl::OkStatus();
}

absl::StatusOr<CommandValidatorSettings> ReadSettings(const std::string& id, const Yaml& yaml) {
  CommandValidatorSettings settings;
  settings.id = id;
  if (!IsId(id)) {
    return yaml.Error(absl::StrCat("'", id, "' is no id: lower-case letters, digits, '-' and '_'"));
  }
  settings.source = absl::StrCat(yaml.file, ":", yaml.line, ": ", yaml.path);
  STILE_RETURN_IF_ERROR(
      CheckKeys(yaml, {"level", "command", "each", "files", "languages", "project_files", "network",
                       "diagnostics", "install_hint", "timeout"}));
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
  STILE_RETURN_IF_ERROR(ReadScope(yaml, &settings));
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
    if (replaced.count(validator->id()) == 0) {
      validators.push_back(NewToolchainAgeValidator(std::move(validator)));
    }
  }
  for (const CommandValidatorSettings& settings : declared) {
    validators.push_back(NewCommandValidator(settings));
  }
  for (std::unique_ptr<Validator>& script : NewBuildScriptValidators()) {
    if (replaced.count(script->id()) == 0) validators.push_back(std::move(script));
  }
  return validators;
}

}  // namespace stile
