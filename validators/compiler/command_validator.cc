// A declared command says what is wrong by its exit status: with the generic parser, a line that
// only looks like a place becomes an error when the command failed, and is passed over when it did
// not. A command that fails without any readable place has still said that the code is wrong only
// if it exits with 1, as linters do.
#include "validators/compiler/command_validator.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/diagnostics/parsers.h"

namespace stile {
namespace {

constexpr absl::string_view kFilesWord = "{files}";

bool IsShell(const std::string& program) {
  static const auto* const kShells =
      new std::set<std::string>{"sh", "bash", "dash", "zsh", "ksh", "fish"};
  return kShells->count(program) > 0;
}

bool IsInterpreter(const std::string& program) {
  static const auto* const kInterpreters =
      new std::set<std::string>{"node", "nodejs", "ruby", "perl", "php",   "deno",
                                "bun",  "lua",    "env",  "pwsh", "tclsh", "Rscript"};
  return IsShell(program) || kInterpreters->count(program) > 0 ||
         absl::StartsWith(program, "python");
}

// Whether the switch makes an interpreter check a file without running it.
bool IsCheckOnly(const std::string& program, const std::string& word) {
  if (word == "-c")
    return program == "ruby" || program == "perl" || absl::StartsWith(program, "node");
  return word == "-n" || word == "-l" || word == "-wc" || word == "-cw" || word == "--check" ||
         word == "--syntax-check" || word == "--no-execute";
}

// The words of a command that name what runs: the program, and the script that an interpreter
// runs (its first argument that is no switch); of `sh -c TEXT` those of each command of the text.
void AddRunning(const std::vector<std::string>& words, std::set<std::string>* running) {
  if (words.empty()) return;
  // A plain name of a program is looked for on the PATH.
  if (absl::StrContains(words[0], '/')) running->insert(words[0]);
  std::string program = BaseName(words[0]);
  if (!IsInterpreter(program)) return;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (IsCheckOnly(program, word)) return;
    const bool is_text = IsShell(program) && absl::StartsWith(word, "-") &&
                         !absl::StartsWith(word, "--") && absl::EndsWith(word, "c");
    if (is_text && i + 1 < words.size()) {
      for (const absl::string_view part :
           absl::StrSplit(words[i + 1], absl::ByAnyChar(";&|()\n`"))) {
        AddRunning(absl::StrSplit(part, absl::ByAnyChar(" \t\"'"), absl::SkipEmpty()), running);
      }
      return;
    }
    if (absl::StartsWith(word, "-") || absl::StrContains(word, '=')) continue;
    const bool is_program = IsInterpreter(BaseName(word)) && !absl::StrContains(word, '/');
    if (!is_program) running->insert(word);
    if (!IsInterpreter(BaseName(word))) return;
    program = BaseName(word);  // env bash FILE
  }
}

// Names of files that a word may hold: the word itself and the value of a switch (--config=FILE).
std::vector<std::string> NamesIn(const std::string& word) {
  if (!absl::StartsWith(word, "-")) return {word};
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return {};
  return {word.substr(equals + 1)};
}

// The file of the workspace that the name stands for, relative to it; "" for none.
std::string PathOf(const std::string& name, const Project& project) {
  const std::string text = absl::StrReplaceAll(name, {{"{root}", project.absolute_root()}});
  if (text.empty() || absl::StartsWith(text, "-") ||
      text.find_first_of("{$*;&|<>\"'`\n") != std::string::npos) {
    return "";
  }
  const std::string absolute =
      CleanPath(absl::StartsWith(text, "/") ? text : JoinPath(project.absolute_root(), text));
  if (!absl::StartsWith(absolute, project.workspace + "/") || DirectoryExists(absolute)) return "";
  return absolute.substr(project.workspace.size() + 1);
}

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

  // A command that a language names and that takes no files may answer from what it keeps of them.
  std::vector<std::string> compilers() const override {
    const bool reads_files =
        NamesFiles() || !settings_.files.empty() || !settings_.languages.empty();
    return reads_files ? std::vector<std::string>{std::string(kAnyProgram)}
                       : std::vector<std::string>();
  }

  std::vector<JudgingFile> scripts(const Project& project) const override {
    std::set<std::string> running;
    AddRunning(settings_.command, &running);
    std::map<std::string, bool> paths;  // whether it runs
    for (const std::string& name : running) {
      if (const std::string path = PathOf(name, project); !path.empty()) paths[path] = true;
    }
    const std::vector<std::string> judged = CodeFiles(project);
    for (size_t i = 1; i < settings_.command.size(); ++i) {
      for (const std::string& name : NamesIn(settings_.command[i])) {
        const std::string path = PathOf(name, project);
        if (!path.empty() && std::find(judged.begin(), judged.end(), path) == judged.end()) {
          paths.emplace(path, false);
        }
      }
    }
    std::vector<JudgingFile> files;
    for (const auto& [path, runs] : paths) files.push_back({path, runs});
    return files;
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& given) const override {
    ValidationRequest request = given;
    request.timeout = std::min(given.timeout, settings_.timeout);
    // Compiled modules in the workspace then come from the run, not from validations.
    request.environment.insert_or_assign("PYTHONDONTWRITEBYTECODE", "1");
    const Project& project = *request.project;
    if (request.cold) STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
    ValidationRun run(request, Probe(project, request.environment, request.runner));
    if (!run.toolchain().available) return run.NoValidator();
    const DiagnosticsParser parser = FindDiagnosticsParser(settings_.diagnostics);
    if (parser == nullptr) {
      return run.InfraError(absl::StrCat("validator ", settings_.id, " names the unknown parser '",
                                         settings_.diagnostics, "'"));
    }
    const std::vector<std::string> files = FileWords(project);
    if (files.empty() && NamesFiles()) {
      run.Pass({});
      run.result().message = "there is no file to judge";
      return run.result();
    }
    if (settings_.each) return JudgeEach(request, files, parser, &run);
    Command command;
    command.argv = Words(request, files);
    command.argv[0] = run.toolchain().program;
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run.Execute(command));
    if (!process.has_value()) return run.result();
    const std::string output = AllOutput(*process);
    return run.Conclude(process->exit_code, Diagnose(request, *process, parser), output, {1});
  }

 private:
  // One run after the other, within the time of one validation. A file that fails without a
  // readable place is the place itself.
  absl::StatusOr<ValidationResult> JudgeEach(const ValidationRequest& request,
                                             const std::vector<std::string>& files,
                                             DiagnosticsParser parser, ValidationRun* run) const {
    const std::string prefix = PrefixOf(*request.project);
    std::vector<std::string> shown = settings_.command;
    shown[0] = run->toolchain().program;
    run->result().command = ShellText(shown);
    std::vector<Diagnostic> diagnostics;
    std::string outputs;
    for (const std::string& file : files) {
      Command command;
      for (const std::string& word : settings_.command) {
        command.argv.push_back(absl::StrReplaceAll(Filled(word, request), {{"{files}", file}}));
      }
      command.argv[0] = run->toolchain().program;
      command.judges = false;  // the command is told once
      STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
      if (!process.has_value()) return run->result();
      const std::string output = AllOutput(*process);
      std::vector<Diagnostic> found = Diagnose(request, *process, parser);
      const size_t errors = CountErrors(found);
      if (process->exit_code == 0 ? errors > 0 : errors == 0 && process->exit_code != 1) {
        ValidationResult result = run->Conclude(process->exit_code, std::move(found), output, {1});
        result.message = ToUtf8(absl::StrCat(file, ": ", result.message));
        return result;
      }
      if (process->exit_code != 0) absl::StrAppend(&outputs, output);
      if (process->exit_code != 0 && errors == 0) {
        const ValidationResult whole = run->Conclude(1, {}, output, {1});
        Diagnostic diagnostic;
        diagnostic.file = CleanPath(prefix + file);
        diagnostic.message = whole.message;
        found.push_back(std::move(diagnostic));
      }
      std::move(found.begin(), found.end(), std::back_inserter(diagnostics));
    }
    const size_t errors = CountErrors(diagnostics);
    if (errors == 0) return run->Pass(std::move(diagnostics));
    return run->Fail(std::move(diagnostics), Count(errors, "error"), outputs);
  }

  std::vector<Diagnostic> Diagnose(const ValidationRequest& request, const ProcessResult& process,
                                   DiagnosticsParser parser) const {
    const Project& project = *request.project;
    std::vector<Diagnostic> diagnostics =
        parser(AllOutput(process), project.absolute_root(), project.workspace);
    if (settings_.diagnostics == "generic") JudgeUnnamed(process.exit_code, &diagnostics);
    return diagnostics;
  }

  std::string ProgramOf(const Project& project) const {
    if (settings_.command.empty()) return "";
    const std::string word =
        absl::StrReplaceAll(settings_.command[0], {{"{root}", project.absolute_root()}});
    const bool relative = absl::StrContains(word, "/") && !absl::StartsWith(word, "/");
    return relative ? JoinPath(project.absolute_root(), word) : word;
  }

  static std::string PrefixOf(const Project& project) {
    return project.root == "." ? "" : absl::StrCat(project.root, "/");
  }

  bool NamesFiles() const {
    return std::any_of(settings_.command.begin(), settings_.command.end(),
                       [](const std::string& word) { return absl::StrContains(word, kFilesWord); });
  }

  static std::string Filled(const std::string& word, const ValidationRequest& request) {
    return absl::StrReplaceAll(
        word, {{"{root}", request.project->absolute_root()}, {"{state}", request.state_dir}});
  }

  static std::vector<std::string> FileWords(const Project& project) {
    const size_t prefix = PrefixOf(project).size();
    std::vector<std::string> words;
    for (const std::string& file : CodeFiles(project)) {
      // A name is never taken for a switch.
      const std::string name = file.substr(prefix);
      words.push_back(absl::StartsWith(name, "-") ? absl::StrCat("./", name) : name);
    }
    return words;
  }

  std::vector<std::string> Words(const ValidationRequest& request,
                                 const std::vector<std::string>& files) const {
    std::vector<std::string> words;
    for (const std::string& word : settings_.command) {
      if (word == kFilesWord) {
        words.insert(words.end(), files.begin(), files.end());
      } else {
        words.push_back(Filled(word, request));
      }
    }
    return words;
  }

  static std::vector<std::string> CodeFiles(const Project& project) {
    const Language* const language = project.language;
    if (language == nullptr || (language->extensions.empty() && language->files.empty())) {
      return project.files;
    }
    std::vector<std::string> found = FilesWithExtension(project, language->extensions);
    for (const std::string& file : project.files) {
      if (std::any_of(language->files.begin(), language->files.end(),
                      [&](const std::string& glob) { return GlobMatch(glob, file); })) {
        found.push_back(file);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
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
