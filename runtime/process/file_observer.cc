#include "runtime/process/file_observer.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/process/filter_program.h"
#include "runtime/process/proc_folder.h"

namespace stile {
namespace {

// Newer than Debian 12's headers: seccomp.h of Linux 5.19 and 6.6.
constexpr unsigned kWaitKillable = 1U << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
constexpr uint64_t kSyncWakeUp = 1;          // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
constexpr unsigned long kSetFlags = _IOW('!', 4, uint64_t);

// Each entry holds a descriptor.
constexpr size_t kMaxThreads = 256;
// Bounds the memory when a program looks for names without end.
constexpr size_t kMaxUses = 500'000;
// Of processes that are kept for one file and program: thousands can read a header.
constexpr size_t kMaxRunsOfUse = 64;
constexpr size_t kMaxArgumentBytes = size_t{1} << 20;
constexpr int kMaxResponseFiles = 8;

// Uses here are not resolved, unless an observed folder lies here.
constexpr const char* kSystemFolders[] = {"/usr/", "/lib/",  "/lib64/", "/bin/", "/sbin/",
                                          "/etc/", "/proc/", "/sys/",   "/dev/"};

constexpr const char* kInterpreters[] = {"node", "python", "pypy", "ruby", "php",  "perl",
                                         "java", "dotnet", "bun",  "deno", "bash", "dash"};

enum class Effect {
  kOpen,     // by flags that are an argument
  kOpenHow,  // by flags in memory
  kCreate,   // for writing
  kExecute,
  kLook,   // whether it is there
  kPlace,  // a file gets this name
  kEnd,    // of the process, with a status
};

struct NamedCall {
  const char* name;  // one that an architecture lacks is left out there
  Effect effect;
  int folder;  // number of the argument; -1: none, the current folder
  int path;
  int flags;  // -1: none
};

constexpr NamedCall kCalls[] = {
    {"open", Effect::kOpen, -1, 0, 1},        {"openat", Effect::kOpen, 0, 1, 2},
    {"openat2", Effect::kOpenHow, 0, 1, 2},   {"creat", Effect::kCreate, -1, 0, -1},
    {"truncate", Effect::kCreate, -1, 0, -1}, {"truncate64", Effect::kCreate, -1, 0, -1},
    {"execve", Effect::kExecute, -1, 0, -1},  {"execveat", Effect::kExecute, 0, 1, -1},
    {"stat", Effect::kLook, -1, 0, -1},       {"lstat", Effect::kLook, -1, 0, -1},
    {"stat64", Effect::kLook, -1, 0, -1},     {"lstat64", Effect::kLook, -1, 0, -1},
    {"access", Effect::kLook, -1, 0, -1},     {"faccessat", Effect::kLook, 0, 1, -1},
    {"faccessat2", Effect::kLook, 0, 1, 3},   {"newfstatat", Effect::kLook, 0, 1, 3},
    {"fstatat64", Effect::kLook, 0, 1, 3},    {"statx", Effect::kLook, 0, 1, 2},
    {"rename", Effect::kPlace, -1, 1, -1},    {"renameat", Effect::kPlace, 2, 3, -1},
    {"renameat2", Effect::kPlace, 2, 3, -1},  {"link", Effect::kPlace, -1, 1, -1},
    {"linkat", Effect::kPlace, 2, 3, -1},     {"symlink", Effect::kPlace, -1, 1, -1},
    {"symlinkat", Effect::kPlace, 1, 2, -1},  {"exit_group", Effect::kEnd, -1, -1, -1},
};

bool AddRules(scmp_filter_ctx context, bool looks) {
  for (const NamedCall& call : kCalls) {
    if (call.effect == Effect::kLook && !looks) continue;
    const int number = seccomp_syscall_resolve_name(call.name);
    if (number == __NR_SCMP_ERROR) continue;
    // With AT_EMPTY_PATH the call is fstat.
    const bool may_be_descriptor = call.effect == Effect::kLook && call.flags >= 0;
    const scmp_arg_cmp named{static_cast<unsigned>(std::max(call.flags, 0)), SCMP_CMP_MASKED_EQ,
                             AT_EMPTY_PATH, 0};
    const int added = may_be_descriptor
                          ? seccomp_rule_add(context, SCMP_ACT_NOTIFY, number, 1, named)
                          : seccomp_rule_add(context, SCMP_ACT_NOTIFY, number, 0);
    if (added != 0) return false;
  }
  return true;
}

// Null-terminated text in another process. "" for addresses and lengths that the kernel refuses for
// paths, too. nullopt when this process may not read it.
std::optional<std::string> ReadText(pid_t thread, uint64_t address) {
  char buffer[PATH_MAX];
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // The next page may be unmapped; the kernel then copies the first part only.
  const size_t first = std::min<uint64_t>(page - address % page, sizeof(buffer));
  const iovec local{buffer, sizeof(buffer)};
  const iovec remote[] = {{reinterpret_cast<void*>(address), first},
                          {reinterpret_cast<void*>(address + first), sizeof(buffer) - first}};
  const ssize_t size =
      process_vm_readv(thread, &local, 1, remote, first == sizeof(buffer) ? 1 : 2, 0);
  if (size < 0 && errno != EFAULT) return std::nullopt;
  const void* const end = memchr(buffer, '\0', static_cast<size_t>(std::max<ssize_t>(size, 0)));
  if (end == nullptr) return std::string();
  return std::string(buffer, static_cast<size_t>(static_cast<const char*>(end) - buffer));
}

bool IsInterpreter(absl::string_view executable) {
  const absl::string_view name = executable.substr(executable.rfind('/') + 1);
  return std::any_of(std::begin(kInterpreters), std::end(kInterpreters),
                     [&](const char* start) { return absl::StartsWith(name, start); });
}

bool IsWithinFolder(absl::string_view path, absl::string_view folder) {
  return absl::StartsWith(path, folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

// A message of one byte with room for one descriptor. Allocates nothing.
struct DescriptorMessage {
  DescriptorMessage() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
  DescriptorMessage(const DescriptorMessage&) = delete;

  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
};

// Whether this process could not follow a path that the observed one perhaps can.
bool IsOwnTrouble(int error) {
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
}

// The flags with which a thread opens a file; 0 where the call has none. `argument`: the one that
// holds them, or their address. nullopt: they cannot be read.
std::optional<uint64_t> OpenFlags(pid_t thread, Effect effect, uint64_t argument) {
  if (effect == Effect::kOpen) return argument;
  if (effect == Effect::kCreate) return O_WRONLY | O_CREAT;
  if (effect != Effect::kOpenHow) return 0;
  uint64_t flags = 0;
  const iovec local{&flags, sizeof(flags)};
  const iovec remote{reinterpret_cast<void*>(argument), sizeof(flags)};
  if (process_vm_readv(thread, &local, 1, &remote, 1, 0) != sizeof(flags)) return std::nullopt;
  return flags;
}

constexpr unsigned Bit(FileUse::Kind kind) { return 1U << static_cast<unsigned>(kind); }

}  // namespace

struct FileObserver::Call {
  Effect effect;
  int folder;
  int path;
  int flags;
};

const sock_fprog* ObserverFilter(bool looks) {
  static const sock_fprog* const kOpens =
      MakeFilter([](void* context) { return AddRules(context, /*looks=*/false); });
  static const sock_fprog* const kAll =
      MakeFilter([](void* context) { return AddRules(context, /*looks=*/true); });
  return looks ? kAll : kOpens;
}

bool ObserveThisProcess(const sock_fprog* filter, int socket) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  constexpr unsigned kFlags =
      SECCOMP_FILTER_FLAG_NEW_LISTENER | static_cast<unsigned>(SECCOMP_FILTER_FLAG_SPEC_ALLOW);
  // Without this flag each signal repeats the report; Go programs get signals all the time.
  long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags | kWaitKillable, filter);
  if (listener < 0 && errno == EINVAL) {
    listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, filter);
  }
  if (listener < 0) return false;
  const int fd = static_cast<int>(listener);
  DescriptorMessage message;
  cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  ssize_t sent;
  while ((sent = sendmsg(socket, &message.header, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  close(fd);
  return sent == 1;
}

UniqueFd ReceiveListener(int socket) {
  DescriptorMessage message;
  ssize_t size;
  while ((size = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  const cmsghdr* const header = size <= 0 ? nullptr : CMSG_FIRSTHDR(&message.header);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return UniqueFd();
  int fd = -1;
  memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  return UniqueFd(fd);
}

FileObserver::FileObserver(UniqueFd listener, std::vector<std::string> folders)
    : listener_(std::move(listener)), folders_(std::move(folders)) {
  // Wakes the waiting process on this processor: it runs next anyway. Older kernels refuse.
  ioctl(listener_.get(), kSetFlags, kSyncWakeUp);
  // The kernel's structures may be longer than those of our headers.
  seccomp_notif_sizes sizes{};
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) Fail();
  report_.resize(std::max<size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
  answer_.resize(std::max<size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
}

// Ends the observation. The calls of observed processes fail from then on instead of waiting.
void FileObserver::Fail() {
  complete_ = false;
  Close();
}

const std::map<std::pair<uint32_t, int>, FileObserver::Call>& FileObserver::Calls() {
  static const auto* const kTable = [] {
    auto* table = new std::map<std::pair<uint32_t, int>, Call>;
    std::vector<uint32_t> architectures = {seccomp_arch_native()};
#ifdef __x86_64__
    architectures.push_back(SCMP_ARCH_X86);
#endif
    for (const uint32_t architecture : architectures) {
      for (const NamedCall& call : kCalls) {
        const int number = seccomp_syscall_resolve_name_arch(architecture, call.name);
        if (number < 0) continue;
        (*table)[{architecture, number}] = {call.effect, call.folder, call.path, call.flags};
      }
    }
    return table;
  }();
  return *kTable;
}

void FileObserver::Answer() {
  std::fill(report_.begin(), report_.end(), 0);  // the kernel insists
  std::fill(answer_.begin(), answer_.end(), 0);
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, report_.data()) != 0) {
    // ENOENT: the process was killed meanwhile.
    return errno == ENOENT || errno == EINTR ? void() : Fail();
  }
  seccomp_notif report{};
  memcpy(&report, report_.data(), sizeof(report));
  Note(report);
  seccomp_notif_resp answer{};
  answer.id = report.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  memcpy(answer_.data(), &answer, sizeof(answer));
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, answer_.data()) != 0 && errno != ENOENT) {
    Fail();
  }
}

bool FileObserver::IsWaiting(const seccomp_notif& report) const {
  return ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &report.id) == 0;
}

void FileObserver::Note(const seccomp_notif& report) {
  const auto found = Calls().find({report.data.arch, report.data.nr});
  if (found == Calls().end()) return;
  const Call& call = found->second;
  const auto thread = static_cast<pid_t>(report.pid);
  // A process that has ended since then opens nothing.
  const auto fail = [&] {
    if (IsWaiting(report)) complete_ = false;
  };
  const uint64_t* const arguments = reinterpret_cast<const uint64_t*>(report.data.args);
  if (call.effect == Effect::kEnd) return NoteEnd(thread, static_cast<int>(arguments[0] & 0xff));
  std::optional<std::string> text;
  // Most reports are about system files. Only the first one of a thread must identify its program.
  if (call.effect != Effect::kExecute && threads_.count(thread) > 0) {
    text = ReadText(thread, arguments[call.path]);
    if (!text.has_value()) return fail();
    if (IsOfSystem(*text)) return;
  }
  const Thread* const entry = FindThread(thread);
  if (entry == nullptr) return fail();
  if (root_.get() < 0) {
    root_.Reset(openat(entry->folder.get(), "root", O_PATH | O_CLOEXEC));
    // The first report is the supervisor's own execve; that process cannot be inspected.
    if (root_.get() < 0) return call.effect == Effect::kExecute ? void() : fail();
  }
  Process* const process = ProcessOf(thread, *entry);
  if (call.effect == Effect::kExecute) {
    const auto known = processes_.find(entry->leader);
    if (known != processes_.end()) known->second.may_have_changed = true;
  }
  if (!text.has_value()) text = ReadText(thread, arguments[call.path]);
  if (!text.has_value()) return fail();
  if (text->empty()) return;
  const int folder = call.folder < 0 ? AT_FDCWD : static_cast<int>(arguments[call.folder]);
  const std::string path = Absolute(*entry, folder, *text);
  if (path.empty()) return;
  if (call.effect == Effect::kOpen && IsOfOtherProcess(path)) return fail();
  if (IsOfSystem(path)) return;

  const uint64_t argument = call.flags < 0 ? 0 : arguments[call.flags];
  const std::optional<uint64_t> flags = OpenFlags(thread, call.effect, argument);
  if (!flags.has_value() || !NoteUse(call, *flags, path, *entry, process)) fail();
}

// Notes what the call does to the file. False: that cannot be told.
bool FileObserver::NoteUse(const Call& call, uint64_t flags, const std::string& path,
                           const Thread& entry, Process* process) {
  const bool opens = call.effect == Effect::kOpen || call.effect == Effect::kOpenHow ||
                     call.effect == Effect::kCreate;
  if (call.effect == Effect::kPlace) {
    Record(ResolveMissing(root_.get(), path), process, FileUse::Kind::kWritten);
    return true;
  }
  const Resolved resolved =
      IsOfProcess(path) ? ResolveOfProcess(entry.folder.get(), path) : Resolve(root_.get(), path);
  if (resolved.path.empty()) {
    if (IsOwnTrouble(resolved.error)) return false;
    // Other errors (a loop of links, a forbidden folder) do not mean that the file is missing.
    if (resolved.error != ENOENT && resolved.error != ENOTDIR) return true;
    const bool makes = opens && (flags & O_CREAT) != 0;
    const auto missing =
        call.effect == Effect::kLook ? FileUse::Kind::kSought : FileUse::Kind::kMissing;
    Record(ResolveMissing(root_.get(), path), process, makes ? FileUse::Kind::kWritten : missing);
    return true;
  }
  if (resolved.is_folder && opens && (flags & O_PATH) == 0) {
    Record(resolved.path, process, FileUse::Kind::kListed);
    return true;
  }
  if (!resolved.is_file || call.effect == Effect::kLook) return true;
  const bool writes = opens && (flags & O_ACCMODE) != O_RDONLY;
  if (writes) Record(resolved.path, process, FileUse::Kind::kWritten);
  if (!writes || (flags & O_ACCMODE) == O_RDWR) {
    if (process != nullptr && process->run == nullptr && IsObserved(resolved.path)) {
      process->run = std::make_shared<ProgramRun>();
      process->run->arguments = ArgumentsOf(entry);
    }
    Record(resolved.path, process, FileUse::Kind::kRead, resolved.identity);
  }
  return true;
}

const FileObserver::Thread* FileObserver::FindThread(pid_t thread) {
  const auto is_alive = [](const Thread& entry) {
    return faccessat(entry.folder.get(), "status", F_OK, 0) == 0;
  };
  const auto known = threads_.find(thread);
  if (known != threads_.end()) {
    if (is_alive(known->second)) return &known->second;
    threads_.erase(known);
  }
  if (threads_.size() >= kMaxThreads) {
    for (auto it = threads_.begin(); it != threads_.end();) {
      it = is_alive(it->second) ? std::next(it) : threads_.erase(it);
    }
    if (threads_.size() >= kMaxThreads) threads_.clear();
  }
  Thread entry;
  entry.folder.Reset(
      open(absl::StrCat("/proc/", thread).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (entry.folder.get() < 0) return nullptr;
  entry.leader = LeaderOf(entry.folder.get());
  // Numbers of ended processes are used again.
  UniqueFd folder;
  if (entry.leader != thread) {
    folder.Reset(
        open(absl::StrCat("/proc/", entry.leader).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  const uint64_t started =
      StatOf(entry.leader == thread ? entry.folder.get() : folder.get()).started;
  const auto [known_process, is_new] = processes_.try_emplace(entry.leader);
  if (!is_new && known_process->second.started != started) known_process->second = Process();
  known_process->second.started = started;
  return &threads_.insert_or_assign(thread, std::move(entry)).first->second;
}

FileObserver::Process* FileObserver::ProcessOf(pid_t thread, const Thread& entry) {
  const std::string executable = LinkText(entry.folder.get(), "exe");
  if (executable.empty()) return nullptr;
  Process& process = processes_[entry.leader];
  const bool is_new = process.program < 0 || process.executable != executable;
  if (!is_new && !process.may_have_changed) return &process;
  // After execve only the leader is left, so other threads still run the old program.
  if (!is_new && thread != entry.leader) return &process;
  const uint64_t stack_start = StatOf(entry.folder.get()).stack_start;
  if (!is_new && stack_start == process.stack_start) return &process;
  process.may_have_changed = false;
  process.executable = executable;
  process.stack_start = stack_start;
  process.program = Identify(entry, executable);
  process.run = nullptr;
  return &process;
}

// A thread that ends alone does not get here. Of two that end their process at once, the one that
// reports an error counts.
void FileObserver::NoteEnd(pid_t thread, int status) {
  const Thread* const entry = FindThread(thread);
  if (entry == nullptr) return;
  const auto known = processes_.find(entry->leader);
  if (known == processes_.end() || known->second.run == nullptr) return;
  std::optional<int>& noted = known->second.run->status;
  if (noted.value_or(0) == 0) noted = status;
}

int FileObserver::Identify(const Thread& entry, const std::string& executable) {
  std::string script = IsInterpreter(executable) ? ScriptOf(entry) : "";
  const auto [known, is_new] =
      program_indices_.try_emplace({executable, script}, static_cast<int>(programs_.size()));
  if (is_new) programs_.push_back({executable, std::move(script)});
  return known->second;
}

std::string FileObserver::ScriptOf(const Thread& entry) const {
  const std::string text = FileText(entry.folder.get(), "cmdline");
  const std::vector<absl::string_view> words = absl::StrSplit(text, '\0', absl::SkipEmpty());
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-m" && i + 1 < words.size()) return absl::StrCat("-m ", words[i + 1]);
    if (words[i] == "-c" || words[i] == "-e") return "";
    if (absl::StartsWith(words[i], "-")) continue;
    const std::string path = Absolute(entry, AT_FDCWD, std::string(words[i]));
    if (path.empty() || root_.get() < 0) continue;
    const Resolved file = Resolve(root_.get(), path);
    if (file.is_file) return file.path;
  }
  return "";
}

std::vector<std::string> FileObserver::ArgumentsOf(const Thread& entry) const {
  std::string text = FileText(entry.folder.get(), "cmdline", kMaxArgumentBytes);
  if (absl::EndsWith(text, absl::string_view("\0", 1))) text.pop_back();
  std::vector<std::string> arguments = absl::StrSplit(text, '\0');
  // A response file may name others.
  int files = 0;
  for (size_t i = 1; i < arguments.size() && files < kMaxResponseFiles; ++i) {
    if (arguments[i].size() < 2 || arguments[i][0] != '@') continue;
    const std::string path = Absolute(entry, AT_FDCWD, arguments[i].substr(1));
    const std::string words = path.empty() ? "" : TextBelow(root_.get(), path, kMaxArgumentBytes);
    if (words.empty()) continue;
    const std::vector<std::string> held =
        absl::StrSplit(words, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
    arguments.erase(arguments.begin() + static_cast<long>(i));
    arguments.insert(arguments.begin() + static_cast<long>(i), held.begin(), held.end());
    ++files;
    --i;  // the first of these words may be one as well
  }
  return arguments;
}

std::string FileObserver::Absolute(const Thread& entry, int folder, const std::string& path) const {
  if (path[0] == '/') return path;
  const std::string base = folder == AT_FDCWD
                               ? LinkText(entry.folder.get(), "cwd")
                               : LinkText(entry.folder.get(), absl::StrCat("fd/", folder).c_str());
  if (base.empty() || base[0] != '/') return "";
  return absl::StrCat(base == "/" ? "" : base, "/", path);
}

bool FileObserver::IsOfSystem(const std::string& path) const {
  if (IsOfProcess(path) || absl::StrContains(path, "/../")) return false;
  return std::any_of(std::begin(kSystemFolders), std::end(kSystemFolders), [&](const char* start) {
    return absl::StartsWith(path, start) &&
           std::none_of(folders_.begin(), folders_.end(), [&](const std::string& observed) {
             return absl::StartsWith(observed, start);
           });
  });
}

bool FileObserver::IsObserved(const std::string& path) const {
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const std::string& folder) { return IsWithinFolder(path, folder); });
}

void FileObserver::Record(std::string path, Process* process, FileUse::Kind kind,
                          const FileIdentity& identity) {
  if (path.empty() || !IsObserved(path)) return;
  if (process == nullptr || process->program < 0 || uses_.size() >= kMaxUses) {
    complete_ = false;
    return;
  }
  Uses& uses = uses_[{std::move(path), process->program}];
  if (kind == FileUse::Kind::kRead) {
    if ((uses.kinds & Bit(kind)) != 0 && !(uses.identity == identity)) uses.is_stable = false;
    uses.identity = identity;
    const bool is_noted =
        std::find(uses.runs.rbegin(), uses.runs.rend(), process->run) != uses.runs.rend();
    if (!is_noted && uses.runs.size() < kMaxRunsOfUse) uses.runs.push_back(process->run);
  }
  uses.kinds |= Bit(kind);
}

std::vector<FileUse> FileObserver::uses() const {
  std::vector<FileUse> uses;
  for (const auto& [key, found] : uses_) {
    const Program& program = programs_[static_cast<size_t>(key.second)];
    for (const FileUse::Kind kind :
         {FileUse::Kind::kRead, FileUse::Kind::kWritten, FileUse::Kind::kMissing,
          FileUse::Kind::kSought, FileUse::Kind::kListed}) {
      if ((found.kinds & Bit(kind)) == 0) continue;
      FileUse use{key.first, program.executable, program.script, kind};
      use.identity = found.identity;
      use.is_stable = found.is_stable;
      if (kind == FileUse::Kind::kRead) use.runs = {found.runs.begin(), found.runs.end()};
      uses.push_back(std::move(use));
    }
  }
  std::sort(uses.begin(), uses.end());
  return uses;
}

}  // namespace stile
