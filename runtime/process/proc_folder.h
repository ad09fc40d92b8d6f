// What /proc tells of the processes that a FileObserver observes, and where their paths lead.
#ifndef STILE_RUNTIME_PROCESS_PROC_FOLDER_H_
#define STILE_RUNTIME_PROCESS_PROC_FOLDER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/process/file_use.h"

namespace stile {

// Below, `folder` is an open folder of a process in /proc, or of a thread.

// Where a link leads; "" when it cannot be read.
std::string LinkText(int folder, const char* name);

// The first bytes of a file, at most `max_bytes`.
std::string FileText(int folder, const char* name, size_t max_bytes = size_t{16} << 10);

// Fields of /proc/PID/stat (proc(5)); 0 when they cannot be read.
struct ProcessStat {
  uint64_t started = 0;      // field 22, in clock ticks since the system started
  uint64_t stack_start = 0;  // field 28, differs after execve
};
ProcessStat StatOf(int folder);

// The process that a thread belongs to; -1 when it is gone.
pid_t LeaderOf(int folder);

// What a path leads to.
struct Resolved {
  std::string path;  // "" when there is nothing
  bool is_file = false;
  bool is_folder = false;
  FileIdentity identity;
  int error = 0;  // errno
};

// The file that `path` leads to below `root`, which may belong to another mount namespace.
Resolved Resolve(int root, const std::string& path);

// The first bytes of a regular file below `root`; "" for others.
std::string TextBelow(int root, const std::string& path, size_t max_bytes);

// Whether the path goes through a folder of the process's own, such as /proc/self/cwd.
bool IsOfProcess(absl::string_view path);

// Whether the path goes through the current folder or the root of another process.
bool IsOfOtherProcess(absl::string_view path);

// Where a path for which IsOfProcess is true leads for the process of `folder`.
Resolved ResolveOfProcess(int folder, absl::string_view path);

// The path of a missing file: its remaining components below the innermost folder that exists.
// "" when there is no such path.
std::string ResolveMissing(int root, const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_PROC_FOLDER_H_
