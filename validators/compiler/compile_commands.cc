#include "validators/compiler/compile_commands.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/shell_words.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxDatabaseBytes = size_t{128} << 20;

std::string DatabaseOf(const Project& project) {
  for (const char* name : {"compile_commands.json", "build/compile_commands.json"}) {
    const std::string path = JoinPath(project.absolute_root(), name);
    if (FileExists(path)) return path;
  }
  return "";
}

bool IsCompiler(absl::string_view program) {
  static const Pattern* const kName = new Pattern(
      R"((?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|c89|c99|clang|clang\+\+)(?:-\d+(?:\.\d+)*)?)");
  return kName->Matches(BaseName(program));
}

// The command's compiler, to its real path; "" if it is none or is missing.
std::string CompilerOf(std::vector<std::string>* words, const std::string& directory,
                       const Environment& environment) {
  // A cache in front of the compiler only gets in the way of a check that writes nothing.
  while (words->size() > 1 &&
         (BaseName(words->front()) == "ccache" || BaseName(words->front()) == "sccache")) {
    words->erase(words->begin());
  }
  std::string program = words->empty() ? "" : words->front();
  if (!IsCompiler(program)) return "";
  if (absl::StrContains(program, "/") && !absl::StartsWith(program, "/")) {
    program = CleanPath(JoinPath(directory, program));
  }
  return FindExecutable(program, environment).value_or("");
}

// The words after the compiler without what writes: output, dependencies, intermediate files.
std::vector<std::string> CheckingArguments(const std::vector<std::string>& words) {
  static const std::set<std::string>* const kDropped = new std::set<std::string>{
      "-c", "-S", "-E", "-MD", "-MMD", "-MP", "-MG", "-M", "-MM", "-save-temps"};
  static const std::set<std::string>* const kDroppedWithValue =
      new std::set<std::string>{"-o", "-MF", "-MT", "-MQ", "-MJ", "-dumpdir", "-dumpbase"};
  std::vector<std::string> arguments;
  for (size_t i = 1; i < words.size(); ++i) {
    if (kDroppedWithValue->count(words[i]) > 0) {
      ++i;
    } else if (kDropped->count(words[i]) == 0 && !absl::StartsWith(words[i], "-o") &&
               !absl::StartsWith(words[i], "-MF") && !absl::StartsWith(words[i], "-Wp,-M")) {
      arguments.push_back(words[i]);
    }
  }
  return arguments;
}

class CompileCommandsValidator : public ToolValidator {
 public:
  CompileCommandsValidator()
      : ToolValidator("compile-commands", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override { return CCompilers(); }
  bool Applies(const Project& project) const override { return !DatabaseOf(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindCCompiler(true, environment, runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::string database = DatabaseOf(project);
    const std::string name = WorkspaceFile(database, project.workspace, project.workspace);
    const auto text = DiskFileSystem()->ReadFile(database, kMaxDatabaseBytes);
    if (!text.ok()) return run->InfraError(text.status().message());
    const auto commands = ParseCompileCommands(*text, DirName(database));
    if (!commands.ok()) {
      return run->InfraError(absl::StrCat(name, ": ", commands.status().message()));
    }
    std::vector<SyntaxJob> jobs;
    for (const CompileCommand& command : *commands) {
      const absl::StatusOr<SyntaxJob> job = JobFor(request, command);
      if (!job.ok()) return run->InfraError(absl::StrCat(name, ": ", job.status().message()));
      jobs.push_back(*job);
    }
    return RunSyntaxJobs(request, jobs, run);
  }

  static absl::StatusOr<SyntaxJob> JobFor(const ValidationRequest& request,
                                          const CompileCommand& command) {
    const auto& [file, directory, written] = command;
    if (!DirectoryExists(directory)) {
      return absl::NotFoundError(absl::StrCat(directory, " (the folder of ", file,
                                              ") does not exist: make the file anew"));
    }
    std::vector<std::string> words = written;
    const std::string program = CompilerOf(&words, directory, request.environment);
    if (program.empty()) {
      return absl::NotFoundError(absl::StrCat("'", words.empty() ? "" : words[0], "' (for ", file,
                                              ") is no compiler that is known and installed"));
    }
    ProgramQuery query;
    query.names = {program};
    const Toolchain compiler = FindToolchain(query, request.environment, request.runner);
    if (!SaysItsVersion(compiler)) {
      return absl::FailedPreconditionError(
          absl::StrCat(program, " (for ", file, ") is there, but does not say its version"));
    }
    SyntaxJob job;
    job.cwd = directory;
    job.compiler = compiler;
    job.file = WorkspaceFile(file, directory, request.project->workspace);
    job.argv = {program, "-fsyntax-only"};
    for (std::string& argument : CheckingArguments(words)) job.argv.push_back(std::move(argument));
    for (std::string& argument : DiagnosticSwitches(compiler))
      job.argv.push_back(std::move(argument));
    return job;
  }
};

}  // namespace

absl::StatusOr<std::vector<CompileCommand>> ParseCompileCommands(absl::string_view text,
                                                                 const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(const Json entries, ParseJson(text));
  if (!entries.is_array()) return absl::InvalidArgumentError("is no list of commands");
  std::vector<CompileCommand> commands;
  for (const Json& entry : entries) {
    CompileCommand command;
    command.file = JsonString(entry, "file").value_or("");
    if (command.file.empty()) return absl::InvalidArgumentError("an entry names no file");
    command.directory = JsonString(entry, "directory").value_or("");
    if (!absl::StartsWith(command.directory, "/")) {
      command.directory = CleanPath(JoinPath(folder, command.directory));
    }
    const Json* arguments = JsonMember(entry, "arguments");
    if (arguments != nullptr && arguments->is_array()) {
      for (const Json& argument : *arguments) {
        if (const std::string* word = argument.get_ptr<const std::string*>()) {
          command.words.push_back(*word);
        }
      }
    } else {
      STILE_ASSIGN_OR_RETURN(command.words,
                             SplitShellWords(JsonString(entry, "command").value_or("")));
    }
    commands.push_back(std::move(command));
  }
  if (commands.empty()) return absl::InvalidArgumentError("holds no commands");
  return commands;
}

std::unique_ptr<Validator> NewCompileCommandsValidator() {
  return std::make_unique<CompileCommandsValidator>();
}

}  // namespace stile
