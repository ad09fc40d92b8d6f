// Run prepares everything, forks the supervisor (supervisor.h), and then only moves bytes and
// watches the limits until the supervisor says that the program and all that came of it is gone.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/process/file_observer.h"
#include "runtime/process/foreground.h"
#include "runtime/process/memory_use.h"
#include "runtime/process/namespaces.h"
#include "runtime/process/output_buffer.h"
#include "runtime/process/pipe.h"
#include "runtime/process/process_input.h"
#include "runtime/process/process_runner.h"
#include "runtime/process/process_tree.h"
#include "runtime/process/supervisor.h"
#include "runtime/process/unique_fd.h"

namespace stile {
namespace {

constexpr absl::Duration kWatchInterval = absl::Milliseconds(100);
// What forks without end has thousands of processes by then.
constexpr absl::Duration kProcessWatchInterval = absl::Milliseconds(10);
constexpr size_t kReadBytes = 64 << 10;

// Blocks all signals of this thread, so that no handler of ours ever runs in the forked supervisor.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool HoldsNul(absl::string_view text) { return text.find('\0') != absl::string_view::npos; }

absl::Status CheckRequest(const ProcessRequest& request) {
  if (!request.replaced.empty() && request.namespaces == nullptr) {
    return absl::FailedPreconditionError("only a sandbox shows folders at other paths");
  }
  if (request.argv.empty() || request.argv[0].empty()) {
    return absl::InvalidArgumentError("no program to run: argv is empty");
  }
  for (const std::string& argument : request.argv) {
    if (HoldsNul(argument)) {
      return absl::InvalidArgumentError(
          absl::StrCat("an argument of ", request.argv[0].c_str(), " holds a NUL byte"));
    }
  }
  if (HoldsNul(request.cwd)) return absl::InvalidArgumentError("the folder holds a NUL byte");
  if (!request.cwd.empty() && request.cwd[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("the folder to run in is not absolute: ", request.cwd));
  }
  for (const auto& [name, value] : request.env) {
    if (name.empty() || name.find('=') != std::string::npos || HoldsNul(name) || HoldsNul(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("not a possible environment variable: '", name.c_str(), "'"));
    }
  }
  return absl::OkStatus();
}

// The end of a run whose supervisor was killed from outside: what is still in the program's session
// or group is all that can be found.
void KillSession(pid_t program) {
  const std::unique_ptr<ProcessEntry[]> entries = MakeProcessEntries();
  for (int round = 0; round < 100; ++round) {
    const size_t count = ListProcesses(entries.get(), kMaxProcessEntries);
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
      const ProcessEntry& entry = entries[i];
      if ((entry.session != program && entry.group != program) || entry.zombie) continue;
      found = true;
      kill(entry.pid, SIGKILL);
    }
    if (!found) return;
    poll(nullptr, 0, 5);
  }
}

// What is free for us on the file system of `folder`; nullopt when that cannot be told.
std::optional<uint64_t> FreeBytes(const std::string& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  return uint64_t{info.f_bavail} * info.f_frsize;
}

// Threads on this machine; one system call, however many there are.
int64_t CountOfThreads() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? info.procs : 0;
}

// One run, from fork to report.
// One thing: the state of one process from its start to its end.
class LocalRun {
 public:
  // `streams`: see RunInForeground; null: the output is collected.
  LocalRun(const ProcessRequest& request, const StandardStreams* streams)
      : request_(request),
        streams_(streams),
        out_(request.max_output_bytes),
        err_(request.max_output_bytes),
        to_write_(request.stdin_text),
        input_complete_(request.input == nullptr || streams != nullptr) {}

  absl::StatusOr<ProcessResult> Run(const std::string& program) {
    STILE_RETURN_IF_ERROR(Start(program));
    while (!ended_ && !supervisor_gone_) PollOnce();
    DrainAfterEnd(&out_pipe_.read, OutputStream::kStdout);
    DrainAfterEnd(&err_pipe_.read, OutputStream::kStderr);
    control_.write.Reset();
    while (waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
    }
    STILE_RETURN_IF_ERROR(StartFailure(program));
    if (!ended_) {
      if (program_pid_ > 0) KillSession(program_pid_);
      return absl::InternalError(
          absl::StrCat("the supervisor of ", program, " was killed from outside"));
    }
    return Result();
  }

 private:
  // The program's ends of its streams are `in_pipe_.read`, `out_pipe_.write`, `err_pipe_.write`.
  absl::Status OpenStreams() {
    if (streams_ != nullptr) {
      STILE_ASSIGN_OR_RETURN(in_pipe_.read, Duplicate(streams_->in));
      STILE_ASSIGN_OR_RETURN(out_pipe_.write, Duplicate(streams_->out));
      STILE_ASSIGN_OR_RETURN(err_pipe_.write, Duplicate(streams_->err));
      return absl::OkStatus();
    }
    STILE_ASSIGN_OR_RETURN(out_pipe_, MakePipe());
    SetNonBlocking(out_pipe_.read);
    if (!request_.merge_stderr) {
      STILE_ASSIGN_OR_RETURN(err_pipe_, MakePipe());
      SetNonBlocking(err_pipe_.read);
    }
    if (to_write_.empty() && input_complete_) {
      in_pipe_.read.Reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (in_pipe_.read.get() < 0) return ErrnoStatus(errno, "open", "/dev/null");
      STILE_RETURN_IF_ERROR(MoveAboveStandardStreams(&in_pipe_.read));
    } else {
      STILE_ASSIGN_OR_RETURN(in_pipe_, MakePipe());
      SetNonBlocking(in_pipe_.write);
    }
    return absl::OkStatus();
  }

  absl::Status Start(const std::string& program) {
    STILE_RETURN_IF_ERROR(OpenStreams());
    STILE_ASSIGN_OR_RETURN(control_, MakePipe());
    STILE_ASSIGN_OR_RETURN(status_, MakePipe());
    std::vector<std::string> variables;
    for (const auto& [name, value] : request_.env) {
      variables.push_back(absl::StrCat(name, "=", value));
    }
    const std::vector<char*> argv = Pointers(request_.argv);
    const std::vector<char*> envp = Pointers(variables);
    SupervisorPlan plan;
    plan.program = program.c_str();
    plan.argv = argv.data();
    plan.envp = envp.data();
    plan.cwd = request_.cwd.empty() ? nullptr : request_.cwd.c_str();
    plan.stdin_fd = in_pipe_.read.get();
    plan.stdout_fd = out_pipe_.write.get();
    plan.stderr_fd = err_pipe_.write.get() < 0 ? plan.stdout_fd : err_pipe_.write.get();
    plan.control_fd = control_.read.get();
    plan.status_fd = status_.write.get();
    plan.namespaces = request_.namespaces == nullptr ? nullptr : &request_.namespaces->fds();

    plan.observer = nullptr;
    plan.observer_fd = -1;
    const sock_fprog* const filter =
        request_.observed.empty() ? nullptr : ObserverFilter(request_.observes_looks);
    if (filter != nullptr) {
      STILE_ASSIGN_OR_RETURN(observer_socket_, MakeSocketPair());
      plan.observer = filter;
      plan.observer_fd = observer_socket_.write.get();
    }

    started_ = SystemClock()->Monotonic();
    deadline_ = started_ + request_.timeout;
    if (request_.max_disk_bytes > 0) {
      for (const std::string& folder : request_.disk_folders) {
        free_at_start_.push_back(FreeBytes(folder).value_or(0));
      }
    }
    if (request_.max_rss_bytes > 0) memory_.emplace(request_.disk_folders);
    {
      AllSignalsBlocked blocked;
      supervisor_ = fork();
      if (supervisor_ == 0) RunSupervisor(plan);
    }
    if (supervisor_ < 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot start ", program, ": ", strerror(errno)));
    }
    in_pipe_.read.Reset();
    out_pipe_.write.Reset();
    err_pipe_.write.Reset();
    control_.read.Reset();
    status_.write.Reset();
    observer_socket_.write.Reset();
    if (!input_complete_) WriteInput();
    return absl::OkStatus();
  }

  void PollOnce() {
    const bool stopping = stopped_by_.has_value();
    // poll() skips entries with a negative descriptor.
    pollfd entries[] = {
        {out_pipe_.read.get(), POLLIN, 0},
        {err_pipe_.read.get(), POLLIN, 0},
        {to_write_.size() > written_ ? in_pipe_.write.get() : -1, POLLOUT, 0},
        {status_.read.get(), POLLIN, 0},
        {request_.cancellation == nullptr || stopping ? -1 : request_.cancellation->fd(), POLLIN,
         0},
        {observer_socket_.read.get(), POLLIN, 0},
        {observer_.has_value() ? observer_->fd() : -1, POLLIN, 0},
        {TakesInput() ? request_.input->fd() : -1, POLLIN, 0},
    };
    poll(entries, sizeof(entries) / sizeof(entries[0]), PollTimeoutMs());
    if (entries[0].revents != 0) ReadOutput(&out_pipe_.read, OutputStream::kStdout);
    if (entries[1].revents != 0) ReadOutput(&err_pipe_.read, OutputStream::kStderr);
    if (entries[2].revents != 0 || entries[7].revents != 0) WriteInput();
    if (entries[5].revents != 0) StartObserving();
    if ((entries[6].revents & POLLIN) != 0) {
      observer_->Answer();
    } else if (entries[6].revents != 0) {
      observer_->Close();
    }
    if (entries[3].revents != 0) ReadReports();
    if (ended_ || supervisor_gone_) return;
    if (entries[4].revents != 0) Stop(ProcessResult::End::kCancelled);
    WatchLimits();
  }

  int PollTimeoutMs() const {
    absl::Duration next = stopped_by_.has_value() ? kill_at_ : deadline_;
    if (WatchesTree()) next = std::min(next, next_check_);
    if (next == absl::InfiniteDuration()) return -1;
    const absl::Duration left = next - SystemClock()->Monotonic();
    if (left <= absl::ZeroDuration()) return 0;
    return static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, 1 << 30));
  }

  bool WatchesTree() const {
    const bool limited =
        request_.max_rss_bytes > 0 || request_.max_processes > 0 || !free_at_start_.empty();
    return limited && running_ && !stopped_by_.has_value();
  }

  void WatchLimits() {
    const absl::Duration now = SystemClock()->Monotonic();
    if (stopped_by_.has_value()) {
      if (now >= kill_at_) SendKill();
      return;
    }
    if (now >= deadline_) return Stop(ProcessResult::End::kTimedOut);
    if (!WatchesTree() || now < next_check_) return;
    const bool limits_processes = request_.max_processes > 0;
    next_check_ = now + (limits_processes ? kProcessWatchInterval : kWatchInterval);
    // Between thorough looks: whether there can be too many.
    if (limits_processes && now < next_thorough_check_ &&
        CountOfThreads() - threads_at_start_ <= request_.max_processes) {
      return;
    }
    next_thorough_check_ = now + kWatchInterval;
    stopped_by_ = LimitReached();
    if (stopped_by_.has_value()) SendKill();
  }

  std::optional<ProcessResult::End> LimitReached() {
    for (size_t i = 0; i < free_at_start_.size(); ++i) {
      const std::optional<uint64_t> free = FreeBytes(request_.disk_folders[i]);
      if (free.has_value() && *free + request_.max_disk_bytes < free_at_start_[i]) {
        return ProcessResult::End::kDiskLimit;
      }
    }
    if (request_.max_rss_bytes == 0 && request_.max_processes == 0) return std::nullopt;
    if (entries_ == nullptr) entries_ = MakeProcessEntries();
    const size_t count = ListDescendants(supervisor_, entries_.get(), kMaxProcessEntries);
    if (request_.max_processes > 0 && count > static_cast<size_t>(request_.max_processes)) {
      return ProcessResult::End::kProcessLimit;
    }
    if (request_.max_processes > 0 && CountThreads(count) > MaxThreads()) {
      return ProcessResult::End::kProcessLimit;
    }
    if (!memory_.has_value() || !memory_->Exceeds(request_.max_rss_bytes, entries_.get(), count)) {
      return std::nullopt;
    }
    return ProcessResult::End::kMemoryLimit;
  }

  int64_t MaxThreads() const { return int64_t{request_.max_processes} * kThreadsPerProcess; }

  int64_t CountThreads(size_t count) const {
    int64_t threads = 0;
    for (size_t i = 0; i < count; ++i) threads += entries_[i].threads;
    return threads;
  }

  void Stop(ProcessResult::End reason) {
    stopped_by_ = reason;
    kill_at_ = SystemClock()->Monotonic() + request_.grace;
    if (request_.grace <= absl::ZeroDuration()) return SendKill();
    SendCommand(kTerminate);
  }

  void SendKill() {
    kill_at_ = absl::InfiniteDuration();
    SendCommand(kKill);
  }

  void SendCommand(SupervisorCommand command) {
    const char byte = command;
    WriteWithoutSigpipe(control_.write.get(), absl::string_view(&byte, 1));
  }

  // Returns the number of bytes read; closes `fd` at the end of the stream.
  size_t ReadOutput(UniqueFd* fd, OutputStream stream) {
    if (buffer_.empty()) buffer_.resize(kReadBytes);
    const ssize_t size = read(fd->get(), buffer_.data(), buffer_.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (size <= 0) {
      fd->Reset();
      return 0;
    }
    const absl::string_view bytes(buffer_.data(), static_cast<size_t>(size));
    (stream == OutputStream::kStdout ? out_ : err_).Append(bytes);
    if (request_.on_output) request_.on_output(stream, bytes);
    return bytes.size();
  }

  // What is still in the pipe. Not more than it can hold: somebody outside the tree may have been
  // handed its other end and write on for ever.
  void DrainAfterEnd(UniqueFd* fd, OutputStream stream) {
    if (fd->get() < 0) return;
    int left = std::max(fcntl(fd->get(), F_GETPIPE_SZ), 0);
    while (left > 0 && fd->get() >= 0) {
      const size_t size = ReadOutput(fd, stream);
      if (size == 0) return;
      left -= static_cast<int>(size);
    }
  }

  bool TakesInput() const { return !input_complete_ && in_pipe_.write.get() >= 0; }

  void WriteInput() {
    if (TakesInput()) {
      to_write_.erase(0, written_);
      written_ = 0;
      input_complete_ = request_.input->Take(&to_write_);
    }
    absl::string_view rest = to_write_;
    rest.remove_prefix(written_);
    if (!rest.empty()) {
      const ssize_t size = WriteWithoutSigpipe(in_pipe_.write.get(), rest);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size > 0) written_ += static_cast<size_t>(size);
      // An error means that the program reads no more.
      if (size < 0) return in_pipe_.write.Reset();
    }
    if (input_complete_ && written_ == to_write_.size()) in_pipe_.write.Reset();
  }

  void StartObserving() {
    UniqueFd listener = ReceiveListener(observer_socket_.read.get());
    observer_socket_.read.Reset();
    if (listener.get() >= 0) observer_.emplace(std::move(listener), request_.observed);
  }

  void ReadReports() {
    SupervisorReport report;
    const ssize_t size = read(status_.read.get(), &report, sizeof(report));
    if (size < 0 && errno == EINTR) return;
    if (size != sizeof(report)) {
      supervisor_gone_ = true;
      return;
    }
    switch (report.kind) {
      case SupervisorReport::kStarting:
        program_pid_ = report.value;
        break;
      case SupervisorReport::kRunning:
        running_ = true;
        next_check_ = SystemClock()->Monotonic() +
                      (request_.max_processes > 0 ? kProcessWatchInterval : kWatchInterval);
        next_thorough_check_ = SystemClock()->Monotonic() + kWatchInterval;
        break;
      case SupervisorReport::kProgramEnded:
        program_ended_ = report;
        break;
      case SupervisorReport::kEnded:
        ended_ = report;
        break;
      default:
        failure_ = report;
    }
  }

  absl::Status StartFailure(const std::string& program) const {
    if (!failure_.has_value()) return absl::OkStatus();
    const std::string reason = strerror(failure_->value);
    if (failure_->kind == SupervisorReport::kChdirFailed) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot run in folder ", request_.cwd, ": ", reason));
    }
    if (failure_->kind == SupervisorReport::kEnterFailed) {
      return absl::FailedPreconditionError(absl::StrCat("the sandbox cannot be entered: ", reason));
    }
    const std::string message = absl::StrCat("cannot start ", program, ": ", reason);
    if (failure_->value == E2BIG) return absl::InvalidArgumentError(message);
    if (failure_->kind == SupervisorReport::kForkFailed || failure_->value == ENOMEM ||
        failure_->value == EAGAIN || failure_->value == EMFILE || failure_->value == ENFILE) {
      return absl::ResourceExhaustedError(message);
    }
    return absl::NotFoundError(message);
  }

  ProcessResult Result() {
    ProcessResult result;
    const SupervisorReport& end = program_ended_.has_value() ? *program_ended_ : *ended_;
    const int status = end.value;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    result.end = stopped_by_.value_or(WIFSIGNALED(status) ? ProcessResult::End::kSignalled
                                                          : ProcessResult::End::kExited);
    result.out_bytes = out_.total_bytes();
    result.err_bytes = err_.total_bytes();
    result.out = out_.Take();
    result.err = err_.Take();
    result.leftovers = end.leftovers;
    if (observer_.has_value() && observer_->complete()) result.file_uses = observer_->uses();
    result.duration = SystemClock()->Monotonic() - started_;
    return result;
  }

  const ProcessRequest& request_;
  const StandardStreams* const streams_;
  OutputBuffer out_;
  OutputBuffer err_;
  Pipe in_pipe_;
  Pipe out_pipe_;
  Pipe err_pipe_;
  Pipe control_;
  Pipe status_;
  Pipe observer_socket_;
  std::optional<FileObserver> observer_;
  pid_t supervisor_ = -1;
  pid_t program_pid_ = -1;
  absl::Duration started_;
  absl::Duration deadline_;
  absl::Duration kill_at_ = absl::InfiniteDuration();
  absl::Duration next_check_;
  absl::Duration next_thorough_check_;
  const int64_t threads_at_start_ = CountOfThreads();
  std::vector<uint64_t> free_at_start_;  // by disk_folders
  std::optional<MemoryUse> memory_;      // where it is limited
  std::optional<ProcessResult::End> stopped_by_;
  std::optional<SupervisorReport> program_ended_;
  std::optional<SupervisorReport> ended_;
  std::optional<SupervisorReport> failure_;
  bool running_ = false;
  bool supervisor_gone_ = false;
  std::string to_write_;  // to its standard input
  size_t written_ = 0;    // of it
  bool input_complete_;   // there will be no more
  std::vector<char> buffer_;
  std::unique_ptr<ProcessEntry[]> entries_;
};

absl::StatusOr<ProcessResult> RunHere(const ProcessRequest& request,
                                      const StandardStreams* streams) {
  STILE_RETURN_IF_ERROR(CheckRequest(request));
  std::string program = request.argv[0];
  if (program.find('/') == std::string::npos) {
    STILE_ASSIGN_OR_RETURN(program, FindExecutable(program, request.env));
  }
  if (request.cancellation != nullptr && request.cancellation->cancelled()) {
    ProcessResult cancelled;
    cancelled.end = ProcessResult::End::kCancelled;
    return cancelled;
  }
  return LocalRun(request, streams).Run(program);
}

class LocalProcessRunner : public ProcessRunner {
 public:
  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override {
    return RunHere(request, nullptr);
  }
};

}  // namespace

absl::StatusOr<ProcessResult> RunInForeground(const ProcessRequest& request,
                                              const StandardStreams& streams) {
  return RunHere(request, &streams);
}

std::unique_ptr<ProcessRunner> NewLocalProcessRunner() {
  return std::make_unique<LocalProcessRunner>();
}

}  // namespace stile
