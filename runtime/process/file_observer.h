// Observes which files the processes of one command open, and how the processes end, by seccomp
// user notification (seccomp_unotify(2)): the kernel stops each such system call until FileObserver
// has noted it. This is an observation and no barrier: a process that changes a path in memory
// between the two looks is noted with the wrong one. So the sandbox stays what protects.
#ifndef STILE_RUNTIME_PROCESS_FILE_OBSERVER_H_
#define STILE_RUNTIME_PROCESS_FILE_OBSERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/process/file_use.h"
#include "runtime/process/unique_fd.h"

struct seccomp_notif;
struct sock_fprog;

namespace stile {

// The filter that reports system calls that open, execute or rename files or end a process; with
// `looks` also those that only ask whether a file is there, of which some tools make many. Made at
// the first call; null where libseccomp cannot make it. Lives as long as the process. Thread-safe.
const sock_fprog* ObserverFilter(bool looks);

// Puts the calling process and its future children under `filter`. Sends the descriptor of their
// reports through `socket`. Async-signal-safe. Returns false when the kernel refuses:
// it is older than 5.5, or a filter of this kind is in force already (Stile below Stile).
bool ObserveThisProcess(const sock_fprog* filter, int socket);

// The descriptor that ObserveThisProcess sent; -1 when there is none. Does not block if `socket`
// is readable.
UniqueFd ReceiveListener(int socket);

// Not thread-safe. Poll fd() and call Answer() when it is readable; until then the reporting
// process waits.
class FileObserver {
 public:
  // Notes only files below `folders` (absolute, without symlinks).
  FileObserver(UniqueFd listener, std::vector<std::string> folders);
  FileObserver(const FileObserver&) = delete;
  FileObserver& operator=(const FileObserver&) = delete;

  // -1 once every observed process has ended.
  int fd() const { return listener_.get(); }
  void Close() { listener_.Reset(); }

  // Handles one report. Does not block on observed processes.
  void Answer();

  // False after a report that could not be read: the list lacks something then.
  bool complete() const { return complete_; }
  // Sorted, each once.
  std::vector<FileUse> uses() const;

 private:
  struct Call;
  // A thread that has reported. Its /proc folder shows whether the number still means this thread.
  struct Thread {
    UniqueFd folder;
    pid_t leader;  // of its process
  };
  // What a process runs, as of its first report, which is its loader's: later it could rewrite its
  // own arguments.
  struct Process {
    std::string executable;
    uint64_t stack_start = 0;         // differs after execve
    bool may_have_changed = false;    // it has called execve since
    uint64_t started = 0;             // differs when the number is used again
    int program = -1;                 // index into programs_
    std::shared_ptr<ProgramRun> run;  // null until it reads an observed file
  };
  struct Program {
    std::string executable;
    std::string script;
  };

  static const std::map<std::pair<uint32_t, int>, Call>& Calls();
  void Fail();
  void Note(const seccomp_notif& report);
  bool NoteUse(const Call& call, uint64_t flags, const std::string& path, const Thread& entry,
               Process* process);
  bool IsWaiting(const seccomp_notif& report) const;
  const Thread* FindThread(pid_t thread);
  // Null if /proc does not name the program that the thread runs. Valid until the next report.
  Process* ProcessOf(pid_t thread, const Thread& entry);
  void NoteEnd(pid_t thread, int status);
  int Identify(const Thread& entry, const std::string& executable);
  std::string ScriptOf(const Thread& entry) const;
  std::vector<std::string> ArgumentsOf(const Thread& entry) const;
  std::string Absolute(const Thread& entry, int folder, const std::string& path) const;
  bool IsOfSystem(const std::string& path) const;
  bool IsObserved(const std::string& path) const;
  void Record(std::string path, Process* process, FileUse::Kind kind,
              const FileIdentity& identity = FileIdentity());

  UniqueFd listener_;
  const std::vector<std::string> folders_;
  std::vector<char> report_;  // seccomp_notif, of the size that this kernel has
  std::vector<char> answer_;  // seccomp_notif_resp
  UniqueFd root_;             // of the observed processes
  bool complete_ = true;
  std::map<pid_t, Thread> threads_;
  std::map<pid_t, Process> processes_;  // by leader
  std::vector<Program> programs_;
  std::map<std::pair<std::string, std::string>, int> program_indices_;
  struct Uses {
    unsigned kinds = 0;  // bits of FileUse::Kind
    FileIdentity identity;
    bool is_stable = true;
    std::vector<std::shared_ptr<ProgramRun>> runs;
  };
  std::map<std::pair<std::string, int>, Uses> uses_;  // by path and program
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_FILE_OBSERVER_H_
