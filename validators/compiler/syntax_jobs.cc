// The gate's list of changed inputs is not enough to tell which jobs are due: a file may include
// what is no input (a table of some other extension, a generated header that is ignored). So a job
// is due as well when the file system says that something it read was written since. That is asked
// of ctime, which nobody can put back.
#include "validators/compiler/syntax_jobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_log.h"
#include "validators/compiler/files_read.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxDepfileBytes = size_t{8} << 20;
constexpr char kTemporary[] = ".new";

// What is known of the last check that a job passed.
struct Record {
  std::set<std::string> inputs;    // the files that it read, as the gate names them
  std::vector<std::string> paths;  // the same for the file system
  timespec start{};                // before it read them
};

bool IsLater(const timespec& a, const timespec& b) {
  return std::tie(a.tv_sec, a.tv_nsec) > std::tie(b.tv_sec, b.tv_nsec);
}

// The record of the job; nullopt if it has not passed since it was changed.
std::optional<Record> ReadRecord(const SyntaxJob& job, const std::string& depfile,
                                 const std::string& workspace) {
  struct stat info {};
  const auto text = DiskFileSystem()->ReadFile(depfile, kMaxDepfileBytes);
  if (!text.ok() || stat(depfile.c_str(), &info) != 0) return std::nullopt;
  Record record;
  record.start = info.st_mtim;
  for (const std::string& file : ParseDepfile(*text)) {
    if (file == "-" || file == "<stdin>") continue;
    record.inputs.insert(WorkspaceFile(file, job.cwd, workspace));
    record.paths.push_back(absl::StartsWith(file, "/") ? file : JoinPath(job.cwd, file));
  }
  if (!job.file.empty()) {
    record.inputs.insert(job.file);
    record.paths.push_back(absl::StartsWith(job.file, "/") ? job.file
                                                           : JoinPath(workspace, job.file));
  }
  return record;
}

// Asks the file system for each file once: most jobs read the same headers.
class WriteTimes {
 public:
  // Whether the file is missing, or was written at `start` or later.
  bool WrittenSince(const std::string& path, const timespec& start) {
    auto known = times_.find(path);
    if (known == times_.end()) known = times_.emplace(path, LastWritten(path)).first;
    const std::optional<timespec>& time = known->second;
    if (!time.has_value()) return true;
    // A file system that keeps whole seconds cuts the rest off.
    if (time->tv_nsec == 0) return time->tv_sec >= start.tv_sec;
    return !IsLater(start, *time);
  }

 private:
  static std::optional<timespec> LastWritten(const std::string& path) {
    struct stat file {};
    struct stat link {};
    if (stat(path.c_str(), &file) != 0 || lstat(path.c_str(), &link) != 0) return std::nullopt;
    timespec last = file.st_ctim;
    for (const timespec& time : {file.st_mtim, link.st_ctim}) {
      if (IsLater(time, last)) last = time;
    }
    return last;
  }

  std::map<std::string, std::optional<timespec>> times_;
};

// Now, such that no file written before is stamped later, and none written after the return
// earlier: file systems stamp with a coarse clock that lags by a tick or two, so it is given time
// to catch up.
timespec Now() {
  constexpr int kMaxRounds = 200;
  timespec now{}, coarse{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (int i = 0; i < kMaxRounds; ++i) {
    clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
    if (IsLater(coarse, now)) break;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return now;
}

// One depfile for each job: its compiler, command and file decide the name.
std::string DepfileOf(const SyntaxJob& job, const std::string& folder) {
  const std::string key =
      absl::StrCat(job.compiler.program, "\n", job.compiler.version, "\n", job.file, "\n", job.cwd,
                   "\n", absl::StrJoin(job.argv, "\n"));
  return absl::StrCat(folder, "/", Sha256Hex(key).substr(0, 32), ".d");
}

// Keeps the dependencies that a passed check wrote as its record.
absl::Status KeepRecord(const std::string& depfile, const timespec& start) {
  const std::string written = depfile + kTemporary;
  const timespec times[2] = {start, start};
  if (utimensat(AT_FDCWD, written.c_str(), times, 0) != 0) {
    return ErrnoStatus(errno, "set the time of", written);
  }
  return DiskFileSystem()->Rename(written, depfile);
}

// What the jobs that ran have said.
struct Findings {
  std::vector<Diagnostic> diagnostics;
  std::string trouble;  // why a job cannot be judged; "": all can
  std::string output;   // of the jobs that failed
  int exit_code = 0;
};

// One validation: the jobs that are due, run at the same time, and what they said.
class SyntaxRun {
 public:
  SyntaxRun(const ValidationRequest& request, const std::vector<SyntaxJob>& jobs,
            ValidationRun* run)
      : request_(request),
        workspace_(request.project->workspace),
        jobs_(jobs),
        run_(run),
        folder_(JoinPath(request.state_dir, "deps")) {
    for (const SyntaxJob& job : jobs) depfiles_.push_back(DepfileOf(job, folder_));
  }

  absl::StatusOr<ValidationResult> Run() {
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder_));
    const std::vector<size_t> due = FindDue();
    for (const size_t i : due) {
      // Until it has passed again, the job has not.
      if (FileExists(depfiles_[i]))
        STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(depfiles_[i]));
    }
    start_ = due.empty() ? timespec{} : Now();
    const std::vector<Outcome> outcomes = RunAll(due);
    run_->result().command = CommandText(due);
    Findings findings;
    for (const size_t i : due) {
      CommandLog(request_.log, ShellText(jobs_[i].argv)).Add(outcomes[i]);
      STILE_ASSIGN_OR_RETURN(std::optional<ValidationResult> end, EndWithoutExit(i, outcomes[i]));
      if (end.has_value()) return *std::move(end);
      STILE_RETURN_IF_ERROR(TakeFindings(i, *outcomes[i], &findings));
    }
    if (!findings.trouble.empty()) return run_->InfraError(findings.trouble, findings.output);
    if (findings.exit_code == 0) run_->result().files_read = FilesRead();
    return run_->Conclude(findings.exit_code, std::move(findings.diagnostics), findings.output);
  }

 private:
  using Outcome = absl::StatusOr<ProcessResult>;

  std::vector<size_t> FindDue() const {
    std::vector<std::optional<Record>> records;
    std::set<std::string> inputs;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      records.push_back(request_.cold ? std::nullopt
                                      : ReadRecord(jobs_[i], depfiles_[i], workspace_));
      const std::optional<Record>& record = records.back();
      if (record.has_value()) inputs.insert(record->inputs.begin(), record->inputs.end());
    }
    const bool all = ChangesUnknownFile(inputs);
    WriteTimes times;
    std::vector<size_t> due;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (all || !records[i].has_value() || IsOutdated(*records[i], &times)) due.push_back(i);
    }
    return due;
  }

  // A changed file that nothing is known to read may be a new header that hides another.
  bool ChangesUnknownFile(const std::set<std::string>& inputs) const {
    return std::any_of(
        request_.changed.begin(), request_.changed.end(), [&](const std::string& path) {
          const bool is_job = std::any_of(jobs_.begin(), jobs_.end(),
                                          [&](const SyntaxJob& job) { return job.file == path; });
          return !is_job && inputs.count(path) == 0;
        });
  }

  bool IsOutdated(const Record& record, WriteTimes* times) const {
    return std::any_of(request_.changed.begin(), request_.changed.end(),
                       [&](const std::string& path) { return record.inputs.count(path) > 0; }) ||
           std::any_of(record.paths.begin(), record.paths.end(), [&](const std::string& path) {
             return times->WrittenSince(path, record.start);
           });
  }

  // The outcomes by job; those that are not due have none.
  std::vector<Outcome> RunAll(const std::vector<size_t>& due) const {
    std::vector<Outcome> outcomes(jobs_.size(), absl::UnknownError("not run"));
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t n = next++; n < due.size(); n = next++) outcomes[due[n]] = RunOne(due[n]);
    };
    const size_t threads =
        std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), due.size());
    std::vector<std::thread> pool;
    for (size_t i = 1; i < threads; ++i) pool.push_back(TryStartThread(work));
    work();
    for (std::thread& thread : pool) {
      if (thread.joinable()) thread.join();
    }
    return outcomes;
  }

  Outcome RunOne(size_t i) const {
    ProcessRequest process = NewProcess(request_);
    process.argv = jobs_[i].argv;
    process.argv.insert(process.argv.end(), {"-MD", "-MF", depfiles_[i] + kTemporary});
    process.cwd = jobs_[i].cwd;
    process.env["LC_ALL"] = "C.UTF-8";
    process.stdin_text = jobs_[i].stdin_text;
    process.timeout = std::max(run_->Remaining(), absl::Milliseconds(1));
    return request_.runner->Run(process);
  }

  std::string CommandText(const std::vector<size_t>& due) const {
    if (jobs_.empty()) return "";
    if (due.size() == 1) return ShellText(jobs_[due[0]].argv);
    return absl::StrCat(BaseName(jobs_[0].argv[0]), " -fsyntax-only (", due.size(), " of ",
                        Count(jobs_.size(), "file"), ")");
  }

  // The result where a job did not end by itself; nullopt where it did.
  absl::StatusOr<std::optional<ValidationResult>> EndWithoutExit(size_t i,
                                                                 const Outcome& outcome) const {
    const std::string command = ShellText(jobs_[i].argv);
    if (absl::IsCancelled(outcome.status())) return outcome.status();
    if (!outcome.ok())
      return run_->InfraError(absl::StrCat(command, ": ", outcome.status().message()));
    switch (outcome->end) {
      case ProcessResult::End::kExited:
        return std::nullopt;
      case ProcessResult::End::kCancelled:
        return absl::CancelledError("the validation was cancelled");
      case ProcessResult::End::kTimedOut:
        run_->result().verdict = Verdict::kTimeout;
        run_->result().message = absl::StrCat("checking ", jobs_[i].file, " did not end within ",
                                              absl::FormatDuration(request_.timeout));
        return run_->result();
      case ProcessResult::End::kSignalled:
      case ProcessResult::End::kMemoryLimit:
      case ProcessResult::End::kProcessLimit:
      case ProcessResult::End::kDiskLimit:
        break;
    }
    return run_->InfraError(absl::StrCat(command, ": ", outcome->Description()),
                            AllOutput(*outcome));
  }

  absl::Status TakeFindings(size_t i, const ProcessResult& process, Findings* findings) const {
    const std::string words = AllOutput(process);
    const std::vector<Diagnostic> found = ParseGcc(words, jobs_[i].cwd, workspace_);
    findings->diagnostics.insert(findings->diagnostics.end(), found.begin(), found.end());
    const bool says_wrong = CountErrors(found) > 0;
    if (says_wrong != (process.exit_code != 0)) {
      findings->trouble = absl::StrCat(
          ShellText(jobs_[i].argv), ": exit status ", process.exit_code,
          says_wrong ? " although errors were reported" : " without a readable diagnostic");
    }
    const std::string written = depfiles_[i] + kTemporary;
    if (process.exit_code != 0) {
      findings->exit_code = process.exit_code;
      findings->output += words;
      return FileExists(written) ? DiskFileSystem()->RemoveFile(written) : absl::OkStatus();
    }
    if (FileExists(written)) return KeepRecord(depfiles_[i], start_);
    if (!says_wrong) {
      findings->trouble = absl::StrCat(ShellText(jobs_[i].argv), ": wrote no list of dependencies");
    }
    return absl::OkStatus();
  }

  // Of the workspace, by all jobs.
  std::vector<std::string> FilesRead() const {
    std::set<std::string> read;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      for (const std::string& file :
           ReadRecord(jobs_[i], depfiles_[i], workspace_).value_or(Record()).inputs) {
        if (!absl::StartsWith(file, "/")) read.insert(file);
      }
    }
    return {read.begin(), read.end()};
  }

  const ValidationRequest& request_;
  const std::string& workspace_;
  const std::vector<SyntaxJob>& jobs_;
  ValidationRun* const run_;
  const std::string folder_;           // of the depfiles
  std::vector<std::string> depfiles_;  // by job
  timespec start_{};                   // before the first job that is due
};

}  // namespace

Toolchain FindCCompiler(bool cpp, const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = cpp ? std::vector<std::string>{"g++", "clang++", "c++"}
                    : std::vector<std::string>{"gcc", "clang", "cc"};
  query.install_hint = cpp ? "apt install g++" : "apt install gcc";
  return FindToolchain(query, environment, runner);
}

std::vector<std::string> CCompilers() {
  return {"cc1", "cc1plus", "cc1obj", "cc1objplus", "clang", "clang++", "clang-[0-9]*", "*-as",
          "as",  "nasm",    "tcc",    "cudafe++",   "cicc",  "icx",     "mcpcom"};
}

std::vector<Toolchain> BuildCompilers(const Environment& environment, ProcessRunner* runner) {
  std::vector<Toolchain> compilers;
  for (const char* name : {"cc", "c++", "gcc", "g++", "clang", "clang++"}) {
    ProgramQuery query;
    query.names = {name};
    compilers.push_back(FindToolchain(query, environment, runner));
  }
  return compilers;
}

bool IsCSource(absl::string_view file) {
  return HasExtension(absl::AsciiStrToLower(file), {".c", ".cc", ".cpp", ".cxx", ".c++"});
}

bool IsCHeader(absl::string_view file) {
  return HasExtension(absl::AsciiStrToLower(file), {".h", ".hh", ".hpp", ".hxx", ".h++"});
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
  return SyntaxRun(request, jobs, run).Run();
}

}  // namespace stile
