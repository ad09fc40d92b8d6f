// What all validators share: finding a program, running it within the time of one validation, and
// turning exit status and diagnostics into a verdict.
#ifndef STILE_VALIDATORS_COMPILER_COMMAND_RUN_H_
#define STILE_VALIDATORS_COMPILER_COMMAND_RUN_H_

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// One command of a validation.
struct Command {
  std::vector<std::string> argv;   // argv[0]: a real path, from Toolchain::program
  std::string cwd;                 // absolute; "": the project's root
  Environment set;                 // on top of the request's environment
  std::vector<std::string> unset;  // taken out of it
  std::string stdin_text;
  bool merge_stderr = false;
  std::string display;   // the command as a person would type it; "": argv, quoted
  bool observed = true;  // false: it opens nothing that the judging ones do not open as well
  bool judges = true;    // false: it only lists what a judging one did, and is not told
  // For the log: what people should read of a line, which is without its end; null: the line.
  std::string (*readable)(absl::string_view line) = nullptr;
};

// Argument vector → text for a shell: "go build -o /dev/null './a b'". argv[0] shows its last part.
std::string ShellText(const std::vector<std::string>& argv);

// How to ask a program for its version, and how to get it when it is missing.
struct ProgramQuery {
  std::vector<std::string> names;  // tried in order; each a name for PATH or an absolute path
  std::vector<std::string> version_arguments = {"--version"};
  std::string install_hint;
  // When not empty: arguments that make the program print the real path of the program behind a
  // version-manager shim, e.g. {"-c", "import sys; print(sys.executable)"}.
  std::vector<std::string> real_path_arguments;
  // Follow symlinks to the file itself. Not for programs that act by the name they are called by
  // (rustup's proxies, ccache's compilers) or by their place (a virtual environment's python).
  bool follow_links = false;
};

// Finds the first program of the query, follows links and shims to the real file, and asks its
// version. Answers are kept for the life of the process per (path, size, mtime, name), so asking is
// cheap. A program that is found but cannot say its version is available with an empty version.
// Thread-safe.
Toolchain FindToolchain(const ProgramQuery& query, const Environment& environment,
                        ProcessRunner* runner);

// Whether the program told its version, which has a digit: one that does nothing but exit with 0
// did not.
bool SaysItsVersion(const Toolchain& toolchain);

// One validation while it is under way: its clock, its commands, its result. Not thread-safe.
//
//   ValidationRun run(request, Probe(…));
//   if (auto unusable = run.Unusable()) return *std::move(unusable);
//   STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run.Execute(command));
//   if (!process.has_value()) return run.result();          // timeout, crash: already decided
//   return run.Conclude(process->exit_code, ParseGo(…), process->out);
class ValidationRun {
 public:
  // `request` must outlive this.
  ValidationRun(const ValidationRequest& request, Toolchain toolchain);

  // Runs one command within what is left of the request's time. A value: it ended by itself, with
  // whatever exit code. nullopt: there is nothing to judge (timeout, killed by a signal, memory
  // limit, could not be started), and result() says which. An error: cancelled.
  absl::StatusOr<std::optional<ProcessResult>> Execute(const Command& command);

  // What there is to say before any command runs: no_validator when the program is missing,
  // infra_error when it is there but could not say its version (no digit in its answer). nullopt:
  // go on.
  std::optional<ValidationResult> Unusable();

  // The rule of Validator::Validate. `exit_codes_of_wrong_code`: exits that the tool documents as
  // "the code is wrong", for a run without parseable diagnostics. `output` is kept where the rule
  // asks for it. Duplicate diagnostics are dropped.
  ValidationResult Conclude(int exit_code, std::vector<Diagnostic> diagnostics,
                            absl::string_view output,
                            const std::set<int>& exit_codes_of_wrong_code = {});
  // The rule applied to several commands whose results were added up: any infra_error wins, then
  // fail.
  ValidationResult Fail(std::vector<Diagnostic> diagnostics, absl::string_view message,
                        absl::string_view output = "");
  ValidationResult Pass(std::vector<Diagnostic> warnings);
  ValidationResult InfraError(absl::string_view message, absl::string_view output = "");
  ValidationResult NoValidator();  // with the toolchain's install hint

  const Toolchain& toolchain() const { return result_.toolchain; }
  // The result so far, with command and duration; for what Conclude and its like do not set.
  ValidationResult& result();
  // Time left; zero when it is used up.
  absl::Duration Remaining() const;

 private:
  const ValidationRequest& request_;
  absl::Duration start_;
  ValidationResult result_;
};

// What every command of a validation starts from: environment, cancellation, and what a sandbox has
// to leave to it.
ProcessRequest NewProcess(const ValidationRequest& request);

// Output of a command: stdout, then stderr.
std::string AllOutput(const ProcessResult& process);

// Removes everything in the state folder, the folder stays.
absl::Status ClearState(const std::string& state_dir);

// Whether the name ends in one of these extensions (with the dot), exactly as written: ".C" is not
// ".c".
bool HasExtension(absl::string_view file, std::initializer_list<absl::string_view> extensions);

// The files of `project` with one of these extensions (with the dot), relative to the workspace,
// whatever the case.
std::vector<std::string> FilesWithExtension(const Project& project,
                                            const std::vector<std::string>& extensions);

// Text of a file of the project (path relative to its root); nullopt if there is none or it is
// unreadable or larger than 4 MiB.
std::optional<std::string> ReadProjectFile(const Project& project, absl::string_view path);

// Folders from the project's root up to the workspace, nearest first, relative to the workspace
// ("." last).
std::vector<std::string> FoldersUpward(const Project& project);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMMAND_RUN_H_
