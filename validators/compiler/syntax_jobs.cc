#include "validators/compiler/syntax_jobs.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxDepfileBytes = size_t{8} << 20;
constexpr char kTemporary[] = ".new";

// The files that the last passed check of the job read; nullopt if it has not passed since it was
// changed.
std::optional<std::set<std::string>> KnownInputs(const SyntaxJob& job, const std::string& depfile,
                                                 const std::string& workspace) {
  const auto text = DiskFileSystem()->ReadFile(depfile, kMaxDepfileBytes);
  if (!text.ok()) return std::nullopt;
  std::set<std::string> inputs;
  for (const std::string& file : ParseDepfile(*text)) {
    inputs.insert(WorkspaceFile(file, job.cwd, workspace));
  }
  if (!job.file.empty()) inputs.insert(job.file);
  return inputs;
}

// One depfile for each job: its command and file decide the name.
std::string DepfileOf(const SyntaxJob& job, const std::string& folder) {
  const std::string key =
      absl::StrCat(job.file, "\n", job.cwd, "\n", absl::StrJoin(job.argv, "\n"));
  return absl::StrCat(folder, "/", Sha256Hex(key).substr(0, 32), ".d");
}

struct JobOutcome {
  absl::StatusOr<ProcessResult> process = absl::UnknownError("not run");
};

void RunOne(const ValidationRequest& request, const SyntaxJob& job, const std::string& depfile,
            absl::Duration timeout, JobOutcome* outcome) {
  ProcessRequest process;
  process.argv = job.argv;
  for (const std::string& argument :
       {std::string("-MD"), std::string("-MF"), depfile + kTemporary}) {
    process.argv.push_back(argument);
  }
  process.cwd = job.cwd;
  process.env = request.environment;
  process.env["LC_ALL"] = "C.UTF-8";
  process.stdin_text = job.stdin_text;
  process.timeout = timeout;
  process.cancellation = request.cancellation;
  outcome->process = request.runner->Run(process);
}

}  // namespace

Toolchain FindCCompiler(bool cpp, const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = cpp ? std::vector<std::string>{"g++", "clang++", "c++"}
                    : std::vector<std::string>{"gcc", "clang", "cc"};
  query.install_hint = cpp ? "apt install g++" : "apt install gcc";
  return FindToolchain(query, environment, runner);
}

std::vector<std::string> DiagnosticSwitches(const Toolchain& compiler) {
  static const Pattern* const kMajor = new Pattern(R"(\) (\d+)\.\d+)");
  std::vector<std::string> switches = {"-fdiagnostics-parseable-fixits"};
  if (absl::StrContains(compiler.version, "clang")) {
    switches.insert(switches.end(), {"-fno-caret-diagnostics", "-fno-color-diagnostics"});
    return switches;
  }
  switches.insert(switches.end(), {"-fno-diagnostics-show-caret", "-fdiagnostics-color=never"});
  std::string major;
  // Before gcc 11 columns are bytes anyway.
  if (kMajor->IsIn(compiler.version, &major) && PositiveNumber(major) >= 11) {
    switches.push_back("-fdiagnostics-column-unit=byte");
  }
  return switches;
}

absl::StatusOr<ValidationResult> RunSyntaxJobs(const ValidationRequest& request,
                                               const std::vector<SyntaxJob>& jobs,
                                               ValidationRun* run) {
  const std::string& workspace = request.project->workspace;
  const std::string folder = JoinPath(request.state_dir, "deps");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));

  std::vector<std::string> depfiles;
  std::vector<std::optional<std::set<std::string>>> inputs;
  std::set<std::string> all_inputs;
  for (const SyntaxJob& job : jobs) {
    depfiles.push_back(DepfileOf(job, folder));
    inputs.push_back(request.cold ? std::nullopt : KnownInputs(job, depfiles.back(), workspace));
    if (inputs.back().has_value()) all_inputs.insert(inputs.back()->begin(), inputs.back()->end());
  }
  // A changed file that nothing is known to read may be a new header that hides another: check
  // everything.
  const bool doubt =
      std::any_of(request.changed.begin(), request.changed.end(), [&](const std::string& path) {
        const bool is_job = std::any_of(jobs.begin(), jobs.end(),
                                        [&](const SyntaxJob& job) { return job.file == path; });
        return !is_job && all_inputs.count(path) == 0;
      });
  std::vector<size_t> due;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const bool affected =
        doubt || !inputs[i].has_value() ||
        std::any_of(request.changed.begin(), request.changed.end(),
                    [&](const std::string& path) { return inputs[i]->count(path) > 0; });
    if (affected) due.push_back(i);
  }

  for (const size_t i : due) {
    // Until it has passed again, the job has not.
    if (FileExists(depfiles[i])) STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(depfiles[i]));
  }
  std::vector<JobOutcome> outcomes(jobs.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t n = next++; n < due.size(); n = next++) {
      const absl::Duration left = run->Remaining();
      RunOne(request, jobs[due[n]], depfiles[due[n]], std::max(left, absl::Milliseconds(1)),
             &outcomes[due[n]]);
    }
  };
  const size_t threads =
      std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), due.size());
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();

  std::vector<Diagnostic> diagnostics;
  std::set<std::string> read;
  std::string trouble, output;
  int exit_code = 0;
  run->result().command = due.size() == 1 ? ShellText(jobs[due[0]].argv)
                          : jobs.empty()
                              ? ""
                              : absl::StrCat(BaseName(jobs[0].argv[0]), " -fsyntax-only (",
                                             due.size(), " of ", Count(jobs.size(), "file"), ")");
  for (const size_t i : due) {
    if (!outcomes[i].process.ok()) {
      const absl::Status& status = outcomes[i].process.status();
      if (absl::IsCancelled(status)) return status;
      return run->InfraError(absl::StrCat(ShellText(jobs[i].argv), ": ", status.message()));
    }
    const ProcessResult& process = *outcomes[i].process;
    switch (process.end) {
      case ProcessResult::End::kExited:
        break;
      case ProcessResult::End::kCancelled:
        return absl::CancelledError("the validation was cancelled");
      case ProcessResult::End::kTimedOut:
        run->result().verdict = Verdict::kTimeout;
        run->result().message = absl::StrCat("checking ", jobs[i].file, " did not end within ",
                                             absl::FormatDuration(request.timeout));
        return run->result();
      case ProcessResult::End::kSignalled:
      case ProcessResult::End::kMemoryLimit:
        return run->InfraError(absl::StrCat(ShellText(jobs[i].argv), ": ", process.Description()),
                               AllOutput(process));
    }
    const std::string words = AllOutput(process);
    const std::vector<Diagnostic> found = ParseGcc(words, jobs[i].cwd, workspace);
    const bool says_wrong = CountErrors(found) > 0;
    if (says_wrong != (process.exit_code != 0)) {
      trouble = absl::StrCat(
          ShellText(jobs[i].argv), ": exit status ", process.exit_code,
          says_wrong ? " although errors were reported" : " without a readable diagnostic");
    }
    if (process.exit_code != 0) {
      exit_code = process.exit_code;
      output += words;
      if (FileExists(depfiles[i] + kTemporary)) {
        STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(depfiles[i] + kTemporary));
      }
    } else if (FileExists(depfiles[i] + kTemporary)) {
      STILE_RETURN_IF_ERROR(DiskFileSystem()->Rename(depfiles[i] + kTemporary, depfiles[i]));
    } else if (!says_wrong) {
      trouble = absl::StrCat(ShellText(jobs[i].argv), ": wrote no list of dependencies");
    }
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  }
  if (!trouble.empty()) return run->InfraError(trouble, output);
  if (exit_code == 0) {
    for (size_t i = 0; i < jobs.size(); ++i) {
      for (const std::string& file :
           KnownInputs(jobs[i], depfiles[i], workspace).value_or(std::set<std::string>())) {
        if (!absl::StartsWith(file, "/") && file != "-") read.insert(file);
      }
    }
    run->result().files_read = std::vector<std::string>(read.begin(), read.end());
  }
  return run->Conclude(exit_code, std::move(diagnostics), output);
}

std::vector<std::string> ParseDepfile(absl::string_view text) {
  std::vector<std::string> files;
  const size_t colon = text.find(": ");
  if (colon == absl::string_view::npos) return files;
  std::string file;
  const auto end_file = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (size_t i = colon + 2; i < text.size(); ++i) {
    const char c = text[i];
    const char following = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (following == '\n' || following == '\r')) {
      end_file();
      i = text.find('\n', i);
      if (i == absl::string_view::npos) break;
    } else if (c == '\\' && (following == ' ' || following == '#' || following == '\\')) {
      file += text[++i];
    } else if (c == '$' && following == '$') {
      file += text[++i];
    } else if (c == '\n') {
      end_file();
      break;  // rules without prerequisites may follow (-MP)
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_file();
    } else {
      file += c;
    }
  }
  end_file();
  return files;
}

}  // namespace stile
