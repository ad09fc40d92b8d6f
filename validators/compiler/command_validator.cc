// A declared command says what is wrong by its exit status: with the generic parser, a line that
// only looks like a place becomes an error when the command failed, and is passed over when it did
// not. A command that fails without any readable place has still said that the code is wrong only
// if it exits with 1, as linters do.
#include "validators/compiler/command_validator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/diagnostics/parsers.h"

namespace stile {
namespace {

class CommandValidator : public Validator {
 public:
  explicit CommandValidator(CommandValidatorSettings settings) : settings_(std::move(settings)) {}

  const std::string& id() const override { return settings_.id; }
  Level level() const override { return settings_.level; }

  CanaryKind canary() const override { return CanaryKind::kNone; }
  bool Applies(const Project& project) const override {
    if (settings_.project_files.empty()) return true;
    const std::vector<std::string> names =
        ListDirectory(project.absolute_root()).value_or(std::vector<std::string>());
    return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
      return std::any_of(settings_.project_files.begin(), settings_.project_files.end(),
                         [&name](const std::string& glob) { return GlobMatch(glob, name); });
    });
  }

  // Any program can be declared, so it is only found, not asked for a version that it may not have.
  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner*) const override {
    Toolchain toolchain;
    const absl::StatusOr<std::string> program = FindExecutable(ProgramOf(project), environment);
    const absl::StatusOr<std::string> real = program.ok() ? RealPath(*program) : program.status();
    toolchain.available = real.ok();
    if (real.ok()) {
      toolchain.program = *program;
    } else {
      toolchain.install_hint = settings_.install_hint.empty()
                                   ? absl::StrCat("'", ProgramOf(project), "' (validator ",
                                                  settings_.id, ") is not installed")
                                   : settings_.install_hint;
    }
    return toolchain;
  }

  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::nullopt;
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& given) const override {
    ValidationRequest request = given;
    request.timeout = std::min(given.timeout, settings_.timeout);
    const Project& project = *request.project;
    if (request.cold) STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
    ValidationRun run(request, Probe(project, request.environment, request.runner));
    if (!run.toolchain().available) return run.NoValidator();
    const DiagnosticsParser parser = FindDiagnosticsParser(settings_.diagnostics);
    if (parser == nullptr) {
      return run.InfraError(absl::StrCat("validator ", settings_.id, " names the unknown parser '",
                                         settings_.diagnostics, "'"));
    }
    Command command;
    command.argv = Words(request);
    command.argv[0] = run.toolchain().program;
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run.Execute(command));
    if (!process.has_value()) return run.result();
    const std::string output = AllOutput(*process);
    std::vector<Diagnostic> diagnostics =
        parser(output, project.absolute_root(), project.workspace);
    if (settings_.diagnostics == "generic") JudgeUnnamed(process->exit_code, &diagnostics);
    return run.Conclude(process->exit_code, std::move(diagnostics), output, {1});
  }

 private:
  std::string ProgramOf(const Project& project) const {
    if (settings_.command.empty()) return "";
    const std::string word =
        absl::StrReplaceAll(settings_.command[0], {{"{root}", project.absolute_root()}});
    const bool relative = absl::StrContains(word, "/") && !absl::StartsWith(word, "/");
    return relative ? JoinPath(project.absolute_root(), word) : word;
  }

  std::vector<std::string> Words(const ValidationRequest& request) const {
    const Project& project = *request.project;
    const std::string prefix = project.root == "." ? "" : absl::StrCat(project.root, "/");
    std::vector<std::string> words;
    for (const std::string& word : settings_.command) {
      if (word == "{files}") {
        for (const std::string& file : CodeFiles(project)) {
          // A name is never taken for a switch.
          const std::string name = file.substr(prefix.size());
          words.push_back(absl::StartsWith(name, "-") ? absl::StrCat("./", name) : name);
        }
        continue;
      }
      words.push_back(absl::StrReplaceAll(
          word, {{"{root}", project.absolute_root()}, {"{state}", request.state_dir}}));
    }
    return words;
  }

  static std::vector<std::string> CodeFiles(const Project& project) {
    if (project.language == nullptr || project.language->extensions.empty()) return project.files;
    return FilesWithExtension(project, project.language->extensions);
  }

  // The generic parser cannot tell what a line without a severity is.
  static void JudgeUnnamed(int exit_code, std::vector<Diagnostic>* diagnostics) {
    if (exit_code == 0) {
      diagnostics->erase(std::remove_if(diagnostics->begin(), diagnostics->end(),
                                        [](const Diagnostic& diagnostic) {
                                          return diagnostic.severity == Severity::kNote;
                                        }),
                         diagnostics->end());
    } else if (CountErrors(*diagnostics) == 0) {
      for (Diagnostic& diagnostic : *diagnostics) {
        if (diagnostic.severity == Severity::kNote) diagnostic.severity = Severity::kError;
      }
    }
  }

  const CommandValidatorSettings settings_;
};

}  // namespace

std::unique_ptr<Validator> NewCommandValidator(CommandValidatorSettings settings) {
  return std::make_unique<CommandValidator>(std::move(settings));
}

}  // namespace stile
