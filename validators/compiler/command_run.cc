#include "validators/compiler/command_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_log.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr size_t kMaxKeptOutputBytes = 16 << 10;
constexpr size_t kMaxProjectFileBytes = size_t{4} << 20;

std::string ShellWord(absl::string_view word) {
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("_-+=:,./@%^", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  return ShellQuoted(word);
}

// Without what colours it on a terminal.
std::string Plain(absl::string_view text) {
  static const Pattern* const kEscape = new Pattern("\x1b\\[[0-9;]*[A-Za-z]");
  return ToUtf8(kEscape->Without(text));
}

std::string FirstLine(absl::string_view text) {
  for (absl::string_view line : SplitLines(text)) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty()) return Plain(line);
  }
  return "";
}

// What somebody should read of output in which no diagnostic could be found.
std::string TellingLine(absl::string_view text) {
  constexpr size_t kMaxBytes = 300;
  for (const absl::string_view line : SplitLines(text)) {
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    if (absl::StartsWithIgnoreCase(words, "error")) return Plain(words.substr(0, kMaxBytes));
  }
  return ToUtf8(FirstLine(text).substr(0, kMaxBytes));
}

// Identity of a program file, to notice when it was replaced.
std::string FileStamp(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return "";
  return absl::StrCat(path, "\n", info.st_size, "\n", info.st_mtim.tv_sec, ".",
                      info.st_mtim.tv_nsec, "\n", info.st_ino);
}

struct KnownPrograms {
  std::mutex mutex;
  std::map<std::string, Toolchain> by_stamp;
};

KnownPrograms& Known() {
  static KnownPrograms* const known = new KnownPrograms;
  return *known;
}

std::optional<std::string> Ask(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const Environment& environment, ProcessRunner* runner) {
  ProcessRequest request;
  request.argv = {program};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.cwd = "/";
  request.env = environment;
  request.timeout = absl::Seconds(30);
  request.max_output_bytes = 64 << 10;
  const absl::StatusOr<ProcessResult> result = runner->Run(request);
  if (!result.ok() || !result->ok()) return std::nullopt;
  // The first line that holds a number: gradle draws a rule above its version.
  for (absl::string_view output :
       {absl::string_view(result->out), absl::string_view(result->err)}) {
    for (absl::string_view line : SplitLines(output)) {
      if (std::any_of(line.begin(), line.end(), absl::ascii_isdigit)) {
        return Plain(absl::StripAsciiWhitespace(line));
      }
    }
  }
  const std::string line = FirstLine(result->out);
  return line.empty() ? FirstLine(result->err) : line;
}

Toolchain Resolve(const std::string& path, const ProgramQuery& query,
                  const Environment& environment, ProcessRunner* runner) {
  Toolchain toolchain;
  toolchain.available = true;
  toolchain.program = path;
  if (query.follow_links) {
    absl::StatusOr<std::string> real = RealPath(path);
    if (real.ok()) toolchain.program = *std::move(real);
  }
  if (!query.real_path_arguments.empty()) {
    const auto real = Ask(path, query.real_path_arguments, environment, runner);
    if (real.has_value() && absl::StartsWith(*real, "/") && FileExists(*real)) {
      toolchain.program = *real;
    }
  }
  toolchain.version =
      Ask(toolchain.program, query.version_arguments, environment, runner).value_or("");
  return toolchain;
}

}  // namespace

std::string ShellText(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  for (const std::string& argument : argv) {
    words.push_back(ShellWord(words.empty() ? BaseName(argument) : argument));
  }
  return absl::StrJoin(words, " ");
}

Toolchain FindToolchain(const ProgramQuery& query, const Environment& environment,
                        ProcessRunner* runner) {
  for (const std::string& name : query.names) {
    const absl::StatusOr<std::string> path = FindExecutable(name, environment);
    if (!path.ok()) continue;
    // What a shim stands for can depend on the environment (PYENV_VERSION, RUSTUP_TOOLCHAIN).
    std::string key =
        absl::StrCat(FileStamp(*path), "\n", absl::StrJoin(query.version_arguments, " "));
    if (!query.real_path_arguments.empty()) {
      for (const auto& [variable, value] : environment) {
        if (absl::StartsWith(variable, "PYENV") || absl::StartsWith(variable, "RUSTUP") ||
            variable == "HOME") {
          absl::StrAppend(&key, "\n", variable, "=", value);
        }
      }
    }
    {
      const std::lock_guard<std::mutex> lock(Known().mutex);
      const auto known = Known().by_stamp.find(key);
      if (known != Known().by_stamp.end()) return known->second;
    }
    Toolchain toolchain = Resolve(*path, query, environment, runner);
    const std::lock_guard<std::mutex> lock(Known().mutex);
    // A program that could not answer is asked again: the machine may have been out of something.
    if (!toolchain.version.empty()) Known().by_stamp[key] = toolchain;
    return toolchain;
  }
  Toolchain missing;
  missing.install_hint = query.install_hint;
  return missing;
}

bool SaysItsVersion(const Toolchain& toolchain) {
  const std::string& version = toolchain.version;
  return std::any_of(version.begin(), version.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

ValidationRun::ValidationRun(const ValidationRequest& request, Toolchain toolchain)
    : request_(request), start_(request.clock->Monotonic()) {
  result_.toolchain = std::move(toolchain);
}

absl::Duration ValidationRun::Remaining() const {
  const absl::Duration left = request_.timeout - (request_.clock->Monotonic() - start_);
  return std::max(left, absl::ZeroDuration());
}

ValidationResult& ValidationRun::result() {
  result_.duration = request_.clock->Monotonic() - start_;
  return result_;
}

absl::StatusOr<std::optional<ProcessResult>> ValidationRun::Execute(const Command& command) {
  if (request_.cancellation != nullptr && request_.cancellation->cancelled()) {
    return absl::CancelledError("the validation was cancelled");
  }
  const std::string display = command.display.empty() ? ShellText(command.argv) : command.display;
  if (command.judges) {
    absl::StrAppend(&result_.command, result_.command.empty() ? "" : " && ", display);
  }

  ProcessRequest process = NewProcess(request_);
  process.argv = command.argv;
  process.cwd = command.cwd.empty() ? request_.project->absolute_root() : command.cwd;
  for (const std::string& name : command.unset) process.env.erase(name);
  for (const auto& [name, value] : command.set) process.env[name] = value;
  process.stdin_text = command.stdin_text;
  process.merge_stderr = command.merge_stderr;
  process.needs_no_observation = !command.observed;
  process.timeout = Remaining();
  const std::string timeout_message =
      absl::StrCat(display, " did not end within ", absl::FormatDuration(request_.timeout));
  if (process.timeout <= absl::ZeroDuration()) {
    result_.verdict = Verdict::kTimeout;
    result_.message = timeout_message;
    return std::optional<ProcessResult>();
  }

  CommandLog log(command.judges ? request_.log : nullptr, display, command.readable);
  log.Attach(&process);
  absl::StatusOr<ProcessResult> outcome = request_.runner->Run(process);
  log.End(outcome);
  if (!outcome.ok()) {
    if (absl::IsCancelled(outcome.status())) return outcome.status();
    InfraError(absl::StrCat(display, " could not be started: ", outcome.status().message()));
    return std::optional<ProcessResult>();
  }
  switch (outcome->end) {
    case ProcessResult::End::kExited:
      return std::optional<ProcessResult>(*std::move(outcome));
    case ProcessResult::End::kCancelled:
      return absl::CancelledError("the validation was cancelled");
    case ProcessResult::End::kTimedOut:
      result_.verdict = Verdict::kTimeout;
      result_.message = timeout_message;
      result_.output = TruncateMiddle(ToUtf8(AllOutput(*outcome)), kMaxKeptOutputBytes);
      break;
    case ProcessResult::End::kSignalled:
    case ProcessResult::End::kMemoryLimit:
    case ProcessResult::End::kProcessLimit:
    case ProcessResult::End::kDiskLimit:
      InfraError(absl::StrCat(display, ": ", outcome->Description()), AllOutput(*outcome));
      break;
  }
  return std::optional<ProcessResult>();
}

ValidationResult ValidationRun::Conclude(int exit_code, std::vector<Diagnostic> diagnostics,
                                         absl::string_view output,
                                         const std::set<int>& exit_codes_of_wrong_code) {
  const size_t errors = CountErrors(diagnostics);
  if (exit_code == 0) {
    if (errors == 0) return Pass(std::move(diagnostics));
    return InfraError(absl::StrCat("exit status 0 although ", Count(errors, "error"),
                                   errors == 1 ? " was" : " were", " reported"),
                      output);
  }
  if (errors > 0) return Fail(std::move(diagnostics), Count(errors, "error"));
  if (exit_codes_of_wrong_code.count(exit_code) > 0) {
    const std::string line = FirstLine(output);
    return Fail(std::move(diagnostics),
                line.empty() ? absl::StrCat("exit status ", exit_code) : line, output);
  }
  const std::string words = TellingLine(output);
  return InfraError(absl::StrCat("exit status ", exit_code, " without a readable diagnostic",
                                 words.empty() ? "" : ": ", words),
                    output);
}

ValidationResult ValidationRun::Fail(std::vector<Diagnostic> diagnostics, absl::string_view message,
                                     absl::string_view output) {
  std::vector<Diagnostic> unique;
  std::set<std::string> seen;
  for (Diagnostic& diagnostic : diagnostics) {
    if (seen.insert(FormatDiagnostic(diagnostic)).second) unique.push_back(std::move(diagnostic));
  }
  result_.verdict = Verdict::kFail;
  result_.diagnostics = std::move(unique);
  result_.message = std::string(message);
  result_.output = TruncateMiddle(ToUtf8(output), kMaxKeptOutputBytes);
  return result();
}

ValidationResult ValidationRun::Pass(std::vector<Diagnostic> warnings) {
  Fail(std::move(warnings), "");
  result_.verdict = Verdict::kPass;
  return result();
}

ValidationResult ValidationRun::InfraError(absl::string_view message, absl::string_view output) {
  result_.verdict = Verdict::kInfraError;
  result_.diagnostics.clear();
  result_.message = ToUtf8(message);
  result_.output = TruncateMiddle(ToUtf8(output), kMaxKeptOutputBytes);
  return result();
}

ValidationResult ValidationRun::NoValidator() {
  result_.verdict = Verdict::kNoValidator;
  result_.message = result_.toolchain.install_hint;
  return result();
}

std::optional<ValidationResult> ValidationRun::Unusable() {
  if (!result_.toolchain.available) return NoValidator();
  if (!SaysItsVersion(result_.toolchain)) {
    return InfraError(
        absl::StrCat(result_.toolchain.program, " is there, but does not say its version"));
  }
  return std::nullopt;
}

ProcessRequest NewProcess(const ValidationRequest& request) {
  ProcessRequest process;
  process.env = request.environment;
  process.cancellation = request.cancellation;
  process.writable = {request.project->workspace, request.state_dir};
  process.network = request.network;
  // Of this validator and target alone: what one leaves there, no other reads.
  process.home = JoinPath(request.state_dir, ".home");
  DiskFileSystem()->MakeDirs(process.home).IgnoreError();  // bubblewrap says what is wrong
  return process;
}

std::string AllOutput(const ProcessResult& process) {
  const bool needs_newline = !process.out.empty() && process.out.back() != '\n';
  return absl::StrCat(process.out, needs_newline ? "\n" : "", process.err);
}

absl::Status ClearState(const std::string& state_dir) {
  STILE_RETURN_IF_ERROR(RemoveTree(state_dir));
  return DiskFileSystem()->MakeDirs(state_dir);
}

bool HasExtension(absl::string_view file, std::initializer_list<absl::string_view> extensions) {
  return std::any_of(extensions.begin(), extensions.end(), [file](absl::string_view extension) {
    return absl::EndsWith(file, extension);
  });
}

std::vector<std::string> FilesWithExtension(const Project& project,
                                            const std::vector<std::string>& extensions) {
  std::vector<std::string> found;
  for (const std::string& file : project.files) {
    const bool matches = std::any_of(
        extensions.begin(), extensions.end(),
        [&](const std::string& extension) { return absl::EndsWithIgnoreCase(file, extension); });
    if (matches) found.push_back(file);
  }
  return found;
}

std::optional<std::string> ReadProjectFile(const Project& project, absl::string_view path) {
  absl::StatusOr<std::string> text =
      DiskFileSystem()->ReadFile(JoinPath(project.absolute_root(), path), kMaxProjectFileBytes);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

std::vector<std::string> FoldersUpward(const Project& project) {
  std::vector<std::string> folders;
  std::string folder = project.root;
  while (folder != ".") {
    folders.push_back(folder);
    folder = DirName(folder);
  }
  folders.push_back(".");
  return folders;
}

}  // namespace stile
