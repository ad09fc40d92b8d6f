#include "validators/compiler/build_script.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/command_validator.h"
#include "validators/compiler/wrapped_validator.h"

namespace stile {
namespace {

struct BuildScript {
  const char* id;
  const char* program;
  std::vector<std::string> command;
  std::vector<std::string> files;  // names of the files that define the command
};

const std::vector<BuildScript>& BuildScripts() {
  static const auto* const kScripts = new std::vector<BuildScript>{
      // make exits with 2 for whatever a recipe exits with.
      {"script-make",
       "make",
       {"sh", "-c", "make || exit 1"},
       {"GNUmakefile", "makefile", "Makefile"}},
      {"script-sh", "sh", {"sh", "build.sh"}, {"build.sh"}},
      {"script-npm", "npm", {"npm", "run", "--silent", "build"}, {"package.json"}}};
  return *kScripts;
}

CommandValidatorSettings SettingsOf(const BuildScript& script) {
  CommandValidatorSettings settings;
  settings.id = script.id;
  settings.command = script.command;
  settings.project_files = script.files;
  return settings;
}

class BuildScriptValidator : public WrappedValidator {
 public:
  explicit BuildScriptValidator(const BuildScript& script)
      : WrappedValidator(NewCommandValidator(SettingsOf(script))), script_(script) {}

  std::vector<std::string> compilers() const override { return {std::string(kAnyProgram)}; }

  bool Applies(const Project& project) const override {
    if (!inner().Applies(project)) return false;
    if (script_.files.front() != "package.json") return true;
    const auto package = ParseJson(ReadProjectFile(project, "package.json").value_or(""));
    const Json* const scripts = package.ok() ? JsonMember(*package, "scripts") : nullptr;
    return scripts != nullptr && !JsonString(*scripts, "build").value_or("").empty();
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    Toolchain toolchain = inner().Probe(project, environment, runner);
    if (FindExecutable(script_.program, environment).ok()) return toolchain;
    toolchain.available = false;
    toolchain.install_hint =
        absl::StrCat(script_.program, " is not installed, which ", script_.files.back(), " needs");
    return toolchain;
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    Toolchain toolchain = Probe(*request.project, request.environment, request.runner);
    if (toolchain.available) return inner().Validate(request);
    return ValidationRun(request, std::move(toolchain)).NoValidator();
  }

  std::vector<JudgingFile> scripts(const Project& project) const override {
    std::vector<JudgingFile> pinned;
    for (const std::string& file : script_.files) {
      if (project.Has(file)) {
        pinned.push_back({project.root == "." ? file : JoinPath(project.root, file), true});
      }
    }
    return pinned;
  }

 private:
  const BuildScript& script_;
};

}  // namespace

std::vector<std::string> BuildScriptIds() {
  std::vector<std::string> ids;
  for (const BuildScript& script : BuildScripts()) ids.emplace_back(script.id);
  return ids;
}

std::vector<std::unique_ptr<Validator>> NewBuildScriptValidators() {
  std::vector<std::unique_ptr<Validator>> validators;
  for (const BuildScript& script : BuildScripts()) {
    validators.push_back(std::make_unique<BuildScriptValidator>(script));
  }
  return validators;
}

}  // namespace stile
