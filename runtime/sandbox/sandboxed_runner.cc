// bubblewrap as of 0.8 (man bwrap).
#include "runtime/sandbox/sandboxed_runner.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_tree.h"

namespace stile {
namespace {

// Folders in memory count in no limit of the process tree.
constexpr char kHiddenFolderBytes[] = "1048576";
constexpr char kSharedMemoryBytes[] = "1073741824";
constexpr size_t kMaxWords = 400;
constexpr size_t kMaxKept = 8;  // of sandboxes without a command in them
constexpr absl::Duration kSetupTimeout = absl::Seconds(30);

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

// Where a path that programs see lies outside the sandbox.
std::string SourceOf(const std::string& path, const ProcessRequest& request) {
  std::string source = path;
  size_t longest = 0;
  for (const auto& [place, folder] : request.replaced) {
    if (place.size() < longest || (path != place && !IsBelow(path, place))) continue;
    longest = place.size();
    source = folder + path.substr(place.size());
  }
  return source;
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
  const auto keep_folder = [](const std::string& path) {
    if (KindOf(path) == Kind::kOther) unlink(path.c_str());
    if (mkdir(path.c_str(), 0700) != 0) chmod(path.c_str(), 0700);
  };
  for (const auto& [place, source] : replaced) {
    if (place == source) continue;  // the user's own folder, in which every place stands already
    chmod(source.c_str(), 0700);
    for (const auto& [path, mount] : mounts) {
      if (!IsBelow(path, place)) continue;
      const std::string own = source + path.substr(place.size());
      ForFoldersBetween(source, own, keep_folder);
      const std::string& shown = mount[mount.size() - 2];  // "--tmpfs" for an empty folder
      const bool is_folder = shown == "--tmpfs" || KindOf(shown) == Kind::kFolder;
      if (is_folder) {
        keep_folder(own);
        continue;
      }
      // A file can only stand on a plain one, of which nothing is seen.
      struct stat info {};
      if (lstat(own.c_str(), &info) != 0) continue;
      if (S_ISDIR(info.st_mode)) {
        rename(own.c_str(), (own + ".moved").c_str());
      } else if (!S_ISREG(info.st_mode)) {
        unlink(own.c_str());
      }
    }
  }
}

// What a mount shows: other content at the same path is another sandbox.
std::string Identity(const std::vector<std::string>& mount) {
  struct stat info {};
  if (stat(mount[mount.size() - 2].c_str(), &info) != 0) return "";
  return absl::StrCat(info.st_dev, ":", info.st_ino);
}

absl::Status SetupFailure(const ProcessResult& result) {
  const std::string words = TruncateMiddle(
      ToUtf8(absl::StripAsciiWhitespace(result.err.empty() ? result.out : result.err)), kMaxWords);
  return absl::FailedPreconditionError(absl::StrCat("the sandbox could not be made: ",
                                                    words.empty() ? result.Description() : words));
}

// A process in the sandbox below its first one, which cannot be looked into. -1: there is none.
pid_t ProgramBelow(pid_t first) {
  const std::unique_ptr<ProcessEntry[]> entries = MakeProcessEntries();
  const size_t count = ListProcesses(entries.get(), kMaxProcessEntries);
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].parent == first && !entries[i].zombie) return entries[i].pid;
  }
  return -1;
}

std::string ShellQuoted(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace

SandboxedRunner::SandboxedRunner(std::string bubblewrap, SandboxPolicy policy, ProcessRunner* base)
    : bubblewrap_(std::move(bubblewrap)), policy_(std::move(policy)), base_(base) {}

SandboxedRunner::Mounts SandboxedRunner::MountsFor(const ProcessRequest& request) const {
  Mounts mounts;
  for (const std::string& path : policy_.hidden) {
    const Kind kind = IsStillItself(path) ? KindOf(path) : Kind::kNone;
    if (kind == Kind::kFolder) {
      mounts[path] = {"--size", kHiddenFolderBytes, "--tmpfs", path};
    } else if (kind == Kind::kOther) {
      mounts[path] = Mount("--ro-bind", "/dev/null", path);
    }
  }
  for (const std::string& path : policy_.read_only) {
    if (IsStillItself(path)) mounts[path] = Mount("--ro-bind", path, path);
  }
  for (const auto& [path, source] : policy_.shown) {
    if (IsStillItself(source)) mounts[path] = Mount("--ro-bind", source, path);
  }
  for (const auto& [path, source] : Replaced(request)) {
    mounts[path] = Mount("--bind", source, path);
  }
  for (const auto* list : {&policy_.writable, &request.writable}) {
    for (const std::string& path : *list) mounts[path] = Mount("--bind", path, path);
  }
  for (const auto& [path, source] : request.replaced) {
    mounts[path] = Mount("--bind", source, path);
  }
  // A folder that is a mount cannot be renamed away from under what is mounted in it.
  std::map<std::string, std::string> written = Replaced(request);
  for (const auto* list : {&policy_.writable, &request.writable}) {
    for (const std::string& path : *list) written.emplace(path, path);
  }
  Mounts pinned;
  for (const auto& [path, mount] : mounts) {
    for (const auto& [top, source] : written) {
      if (!IsBelow(path, top)) continue;
      ForFoldersBetween(top, path, [&, &own = source, &place = top](const std::string& folder) {
        pinned[folder] = Mount("--bind", own + folder.substr(place.size()), folder);
      });
    }
  }
  mounts.merge(pinned);
  return mounts;
}

std::vector<std::string> SandboxedRunner::Arguments(const ProcessRequest& request,
                                                    const Mounts& mounts) const {
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
  std::vector<std::string> empty_folders;
  const auto shows_itself_only = [](const Mounts::value_type& entry) {
    return entry.second[0] == "--ro-bind" && entry.second[1] == entry.first;
  };
  std::vector<const Mounts::value_type*> around;  // the present place, outermost first
  for (const auto& entry : mounts) {
    const auto& [path, mount] = entry;
    while (!around.empty() && !IsBelow(path, around.back()->first)) around.pop_back();
    // What lies in a place that is not written either needs no mount of its own.
    const bool is_shown = !around.empty() && shows_itself_only(*around.back());
    if (is_shown && shows_itself_only(entry)) continue;
    around.push_back(&entry);
    if (mount[2] == "--tmpfs") empty_folders.push_back(path);
    arguments.insert(arguments.end(), mount.begin(), mount.end());
  }
  // Once everything has its place in them.
  for (const std::string& path : empty_folders) {
    arguments.insert(arguments.end(), {"--remount-ro", path});
  }
  return arguments;
}

std::map<std::string, std::string> SandboxedRunner::Replaced(const ProcessRequest& request) const {
  std::map<std::string, std::string> replaced = policy_.replaced;
  if (!request.home.empty() && !policy_.home.empty()) replaced[policy_.home] = request.home;
  for (const auto& [path, source] : request.replaced) replaced[path] = source;
  return replaced;
}

std::vector<std::string> SandboxedRunner::Wrapper(
    const std::vector<std::string>& hidden_variables) const {
  const ProcessRequest request;
  const Mounts mounts = MountsFor(request);
  RepairPlaces(Replaced(request), mounts);
  std::vector<std::string> words = Arguments(request, mounts);
  std::string script = "\"$@\"";
  if (!policy_.filter_file.empty()) {
    words.insert(words.end(), {"--seccomp", "9"});
    absl::StrAppend(&script, " 9<", ShellQuoted(policy_.filter_file));
  }
  if (policy_.kept_absent.empty()) {
    script.insert(0, "exec ");
  } else {
    words.emplace_back("--die-with-parent");
    script += "; s=$?; rm -rf --";
    for (const std::string& path : policy_.kept_absent) {
      absl::StrAppend(&script, " ", ShellQuoted(path));
    }
    script += "; exit $s";
  }
  if (script != "exec \"$@\"") words.insert(words.begin(), {"/bin/sh", "-c", script, "sh"});
  for (const std::string& name : hidden_variables) {
    words.insert(words.end(), {"--unsetenv", name});
  }
  for (const auto& [name, redirection] : policy_.redirected) {
    words.insert(words.end(), {"--setenv", name, redirection.to});
  }
  for (const auto& [name, value] : policy_.environment) {
    words.insert(words.end(), {"--setenv", name, value});
  }
  words.emplace_back("--");
  return words;
}

absl::StatusOr<std::shared_ptr<const Namespaces>> SandboxedRunner::NamespacesFor(
    const ProcessRequest& request) {
  const Mounts mounts = MountsFor(request);
  RepairPlaces(Replaced(request), mounts);
  std::vector<std::string> arguments = Arguments(request, mounts);
  std::string key = absl::StrJoin(arguments, absl::string_view("\0", 1));
  for (const auto& [path, mount] : mounts) absl::StrAppend(&key, " ", Identity(mount));

  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().namespaces;
  }
  STILE_ASSIGN_OR_RETURN(std::shared_ptr<const Namespaces> made, Make(std::move(arguments)));
  kept_.push_front({std::move(key), made});
  if (kept_.size() > kMaxKept) kept_.pop_back();
  return made;
}

// bubblewrap sets everything up and starts a program, which only waits until we hold what it is in.
absl::StatusOr<std::shared_ptr<const Namespaces>> SandboxedRunner::Make(
    std::vector<std::string> arguments) {
  Cancellation done;
  ProcessRequest request;
  request.argv = std::move(arguments);
  request.argv.insert(request.argv.end(),
                      {"--info-fd", "1", "--", "/bin/sh", "-c", "echo ready >&2; exec sleep 3600"});
  request.env = {{"PATH", "/usr/bin:/bin"}};
  request.cwd = "/";
  request.grace = absl::ZeroDuration();
  request.timeout = kSetupTimeout;
  request.cancellation = &done;
  std::string info;
  std::string said;
  absl::StatusOr<std::shared_ptr<const Namespaces>> made =
      absl::FailedPreconditionError("the sandbox could not be made");
  request.on_output = [&](OutputStream stream, absl::string_view bytes) {
    absl::StrAppend(stream == OutputStream::kStdout ? &info : &said, bytes);
    if (done.cancelled() || !absl::StrContains(said, "ready\n")) return;
    const absl::StatusOr<Json> told = ParseJson(info);
    const pid_t first =
        told.ok() ? static_cast<pid_t>(JsonInt(*told, "child-pid").value_or(-1)) : -1;
    made = Namespaces::Of(ProgramBelow(first));
    done.Cancel();
  };
  STILE_ASSIGN_OR_RETURN(const ProcessResult result, base_->Run(request));
  if (!done.cancelled()) return SetupFailure(result);
  if (!made.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the sandbox could not be made: ", made.status().message()));
  }
  return made;
}

absl::StatusOr<ProcessResult> SandboxedRunner::Run(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv[0].empty()) {
    return absl::InvalidArgumentError("no program to run: argv is empty");
  }
  // Looked up out here, where a failure is told apart from the sandbox's own.
  if (request.argv[0].find('/') == std::string::npos) {
    STILE_RETURN_IF_ERROR(FindExecutable(request.argv[0], request.env).status());
  } else if (request.argv[0][0] == '/' &&
             KindOf(SourceOf(request.argv[0], request)) == Kind::kNone) {
    return absl::NotFoundError(
        absl::StrCat("cannot start ", request.argv[0], ": No such file or directory"));
  }
  if (!request.cwd.empty() && KindOf(SourceOf(request.cwd, request)) != Kind::kFolder) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot run in folder ", request.cwd, ": it is not a folder"));
  }
  ProcessRequest inside = request;
  STILE_ASSIGN_OR_RETURN(inside.namespaces, NamespacesFor(request));
  if (inside.cwd.empty()) inside.cwd = "/";
  for (const auto& [name, redirection] : policy_.redirected) {
    const auto found = inside.env.find(name);
    if (found != inside.env.end() && found->second == redirection.from) {
      found->second = redirection.to;
    }
  }
  for (const auto& [name, value] : policy_.environment) inside.env[name] = value;
  if (inside.max_rss_bytes == 0) inside.max_rss_bytes = policy_.max_rss_bytes;
  if (inside.max_processes == 0) inside.max_processes = policy_.max_processes;
  if (inside.max_processes > 0) ++inside.max_processes;  // the first of the namespace is ours
  if (inside.max_disk_bytes == 0) {
    inside.max_disk_bytes = policy_.max_disk_bytes;
    inside.disk_folders = policy_.disk_folders;
  }
  return base_->Run(inside);
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
