// bubblewrap as of 0.8 (man bwrap). Its first process is process 1 of the new namespace and reaps
// there; the outer one waits for the program and hands on its exit status. It is not asked to die
// with its parent: that would take away the time a program has to comply with SIGTERM, and our
// supervisor ends what is left anyway.
#include "runtime/process/sandboxed_runner.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr char kReportDescriptor[] = "3";  // see ProcessRequest::is_wrapper
// Folders in memory count in no limit of the process tree.
constexpr char kHiddenFolderBytes[] = "1048576";
constexpr char kSharedMemoryBytes[] = "1073741824";
constexpr size_t kMaxWords = 400;

enum class Kind { kNone, kFolder, kOther };

Kind KindOf(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return Kind::kNone;
  return S_ISDIR(info.st_mode) ? Kind::kFolder : Kind::kOther;
}

std::vector<std::string> Mount(const char* option, const std::string& source,
                               const std::string& path) {
  return {option, source, path};
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && absl::StartsWith(path, folder) &&
         path[folder.size()] == '/';
}

// What a link that a command made leads to is none of the policy's.
bool IsStillItself(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr && path == resolved;
}

// Calls `use` with every folder strictly between `top` and `path`.
void ForFoldersBetween(const std::string& top, const std::string& path,
                       const std::function<void(const std::string&)>& use) {
  for (size_t slash = path.find('/', top.size() + 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    use(path.substr(0, slash));
  }
}

// bubblewrap makes the places of its mounts where they are missing, and follows links on the way:
// in folders that commands write, those have to be what they were.
void RepairPlaces(const std::map<std::string, std::string>& replaced,
                  const std::map<std::string, std::vector<std::string>>& mounts) {
  for (const auto& [place, source] : replaced) {
    chmod(source.c_str(), 0700);
    for (const auto& [path, mount] : mounts) {
      if (!IsBelow(path, place)) continue;
      const std::string own = source + path.substr(place.size());
      const auto make_folder = [](const std::string& folder) {
        struct stat info {};
        if (lstat(folder.c_str(), &info) != 0) return;
        if (S_ISDIR(info.st_mode)) {
          chmod(folder.c_str(), 0700);
        } else {
          unlink(folder.c_str());
        }
      };
      ForFoldersBetween(source, own, make_folder);
      struct stat info {};
      if (lstat(own.c_str(), &info) == 0 && !S_ISDIR(info.st_mode) && info.st_size > 0) {
        unlink(own.c_str());
      }
      if (lstat(own.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) unlink(own.c_str());
    }
  }
}

// What stands at a path inside the sandbox, as bubblewrap's arguments; parents before children.
std::map<std::string, std::vector<std::string>> Mounts(
    const SandboxPolicy& policy, const std::map<std::string, std::string>& replaced,
    const std::vector<std::string>& writable) {
  std::map<std::string, std::vector<std::string>> mounts;
  for (const std::string& path : policy.hidden) {
    const Kind kind = IsStillItself(path) ? KindOf(path) : Kind::kNone;
    if (kind == Kind::kFolder) {
      mounts[path] = {"--size", kHiddenFolderBytes, "--tmpfs", path};
    } else if (kind == Kind::kOther) {
      mounts[path] = Mount("--ro-bind", "/dev/null", path);
    }
  }
  for (const std::string& path : policy.read_only) {
    if (IsStillItself(path)) mounts[path] = Mount("--ro-bind", path, path);
  }
  for (const auto& [path, source] : replaced) mounts[path] = Mount("--bind", source, path);
  for (const auto* list : {&policy.writable, &writable}) {
    for (const std::string& path : *list) mounts[path] = Mount("--bind", path, path);
  }
  // A folder that is a mount cannot be renamed away from under what is protected in it.
  std::vector<std::string> pinned;
  for (const std::string& path : policy.read_only) {
    if (mounts.count(path) == 0) continue;
    for (const auto* list : {&policy.writable, &writable}) {
      for (const std::string& top : *list) {
        if (!IsBelow(path, top)) continue;
        ForFoldersBetween(top, path, [&](const std::string& folder) { pinned.push_back(folder); });
      }
    }
  }
  for (const std::string& folder : pinned) mounts.emplace(folder, Mount("--bind", folder, folder));
  return mounts;
}

// The exit status that bubblewrap tells of the program; nullopt: the program was never started.
std::optional<int> ReportedExit(absl::string_view report) {
  for (const absl::string_view line : SplitLines(report)) {
    const absl::StatusOr<Json> json = ParseJson(line);
    if (!json.ok()) continue;
    if (const auto code = JsonInt(*json, "exit-code")) return static_cast<int>(*code);
  }
  return std::nullopt;
}

// The signals that programs die of without anybody's order, and those that kill them.
bool IsDeadly(int signal) {
  const int deadly[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,  SIGKILL,
                        SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ,
                        SIGSYS,  SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2};
  return std::find(std::begin(deadly), std::end(deadly), signal) != std::end(deadly);
}

absl::Status SetupFailure(const ProcessRequest& request, const ProcessResult& result) {
  const std::string words = TruncateMiddle(
      ToUtf8(absl::StripAsciiWhitespace(result.err.empty() ? result.out : result.err)), kMaxWords);
  if (absl::StartsWith(words, "bwrap: execvp ")) {
    return absl::NotFoundError(
        absl::StrCat("cannot start ", request.argv[0], " in the sandbox: ", words));
  }
  return absl::FailedPreconditionError(absl::StrCat("the sandbox could not be made: ",
                                                    words.empty() ? result.Description() : words));
}

}  // namespace

SandboxedRunner::SandboxedRunner(std::string bubblewrap, SandboxPolicy policy, ProcessRunner* base)
    : bubblewrap_(std::move(bubblewrap)), policy_(std::move(policy)), base_(base) {}

std::vector<std::string> SandboxedRunner::Arguments(const ProcessRequest& request) const {
  std::vector<std::string> arguments = {bubblewrap_,
                                        "--unshare-user",
                                        "--unshare-ipc",
                                        "--unshare-pid",
                                        "--unshare-uts",
                                        "--cap-drop",
                                        "ALL",
                                        "--ro-bind",
                                        "/",
                                        "/",
                                        "--dev",
                                        "/dev",
                                        "--size",
                                        kSharedMemoryBytes,
                                        "--tmpfs",
                                        "/dev/shm",
                                        "--remount-ro",
                                        "/dev",
                                        "--proc",
                                        "/proc"};
  // root could write these by their permissions alone.
  for (const char* path : {"/proc/sys", "/proc/sysrq-trigger"}) {
    arguments.insert(arguments.end(), {"--ro-bind-try", path, path});
  }
  if (!request.network) arguments.emplace_back("--unshare-net");
  const std::map<std::string, std::string> replaced = Replaced(request);
  const auto mounts = Mounts(policy_, replaced, request.writable);
  RepairPlaces(replaced, mounts);
  for (const auto& [path, mount] : mounts) {
    for (const std::string& argument : mount) arguments.push_back(argument);
  }
  if (!request.cwd.empty()) {
    arguments.emplace_back("--chdir");
    arguments.push_back(request.cwd);
  }
  return arguments;
}

std::map<std::string, std::string> SandboxedRunner::Replaced(const ProcessRequest& request) const {
  std::map<std::string, std::string> replaced = policy_.replaced;
  if (!request.home.empty() && !policy_.home.empty()) replaced[policy_.home] = request.home;
  return replaced;
}

std::vector<std::string> SandboxedRunner::Wrap(const std::vector<std::string>& argv,
                                               const std::string& cwd) const {
  ProcessRequest request;
  request.cwd = cwd;
  std::vector<std::string> wrapped = Arguments(request);
  wrapped.emplace_back("--");
  wrapped.insert(wrapped.end(), argv.begin(), argv.end());
  return wrapped;
}

absl::StatusOr<ProcessResult> SandboxedRunner::Run(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv[0].empty()) {
    return absl::InvalidArgumentError("no program to run: argv is empty");
  }
  // Looked up out here, where a failure is told apart from the sandbox's own.
  if (request.argv[0].find('/') == std::string::npos) {
    STILE_RETURN_IF_ERROR(FindExecutable(request.argv[0], request.env).status());
  } else if (request.argv[0][0] == '/' && KindOf(request.argv[0]) == Kind::kNone) {
    return absl::NotFoundError(
        absl::StrCat("cannot start ", request.argv[0], ": No such file or directory"));
  }
  if (!request.cwd.empty() && KindOf(request.cwd) != Kind::kFolder) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot run in folder ", request.cwd, ": it is not a folder"));
  }

  ProcessRequest wrapped = request;
  wrapped.argv = Arguments(request);
  wrapped.argv.insert(wrapped.argv.end(), {"--json-status-fd", kReportDescriptor, "--"});
  wrapped.argv.insert(wrapped.argv.end(), request.argv.begin(), request.argv.end());
  wrapped.cwd = "/";
  wrapped.is_wrapper = true;
  for (const auto& [name, value] : policy_.environment) wrapped.env[name] = value;
  if (wrapped.max_rss_bytes == 0) wrapped.max_rss_bytes = policy_.max_rss_bytes;
  // bubblewrap's own two processes are not the command's.
  if (wrapped.max_processes == 0) wrapped.max_processes = policy_.max_processes;
  if (wrapped.max_processes > 0) wrapped.max_processes += 2;
  if (wrapped.max_disk_bytes == 0) {
    wrapped.max_disk_bytes = policy_.max_disk_bytes;
    wrapped.disk_folders = policy_.disk_folders;
  }

  STILE_ASSIGN_OR_RETURN(ProcessResult result, base_->Run(wrapped));
  if (result.end != ProcessResult::End::kExited) return result;
  const std::optional<int> code = ReportedExit(result.wrapper_report);
  if (!code.has_value()) return SetupFailure(request, result);
  result.exit_code = *code;
  if (*code > 128 && IsDeadly(*code - 128)) {
    result.end = ProcessResult::End::kSignalled;
    result.signal = *code - 128;
    result.exit_code = -1;
  }
  return result;
}

absl::StatusOr<std::string> BubblewrapVersion(const std::string& program,
                                              const Environment& environment,
                                              ProcessRunner* runner) {
  ProcessRequest request;
  request.argv = {program, "--version"};
  request.env = environment;
  request.timeout = absl::Seconds(10);
  STILE_ASSIGN_OR_RETURN(const ProcessResult result, runner->Run(request));
  if (!result.ok()) {
    return absl::NotFoundError(
        absl::StrCat(program, " does not say its version: ", result.Description()));
  }
  return std::string(absl::StripAsciiWhitespace(ToUtf8(result.out)));
}

absl::Status CheckSandbox(SandboxedRunner* runner, const std::string& workspace,
                          const Environment& environment) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", "test -w \"$1\"", "sh", workspace};
  request.env = environment;
  request.cwd = workspace;
  request.timeout = absl::Seconds(30);
  const absl::StatusOr<ProcessResult> result = runner->Run(request);
  if (!result.ok()) return absl::FailedPreconditionError(result.status().message());
  if (result->ok()) return absl::OkStatus();
  if (result->end == ProcessResult::End::kExited) {
    return absl::FailedPreconditionError(
        absl::StrCat(workspace, " cannot be written inside a sandbox: it belongs to another user"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("a first command in the sandbox was ", result->Description()));
}

}  // namespace stile
