// The processes below one process, from /proc.
#ifndef STILE_RUNTIME_PROCESS_PROCESS_TREE_H_
#define STILE_RUNTIME_PROCESS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>

namespace stile {

struct ProcessEntry {
  pid_t pid;
  pid_t parent;
  pid_t group;
  pid_t session;
  int threads;  // 0 for the dead
  bool zombie;
  bool below_root;  // scratch of ListDescendants
};

// More processes than this are not seen in one scan.
constexpr size_t kMaxProcessEntries = 65536;

// Room for all of them. What no scan fills is never touched: to zero it takes milliseconds.
inline std::unique_ptr<ProcessEntry[]> MakeProcessEntries() {
  return std::make_unique_for_overwrite<ProcessEntry[]>(kMaxProcessEntries);
}

// Fills `entries` with every process of /proc, by ascending pid. Returns their number, 0 when /proc
// cannot be read. Async-signal-safe.
size_t ListProcesses(ProcessEntry* entries, size_t capacity);

// The same, but only the descendants of `root` (itself left out). Async-signal-safe.
size_t ListDescendants(pid_t root, ProcessEntry* entries, size_t capacity);

// The children of one process by the kernel's own list, at most `capacity`; 0 where there is no
// such list (CONFIG_PROC_CHILDREN). Takes no longer on a machine with many processes.
// Async-signal-safe.
size_t ListChildren(pid_t parent, pid_t* children, size_t capacity);

// The memory that a process has in RAM now; 0 if it is gone. Async-signal-safe.
size_t ResidentBytes(pid_t pid);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_PROCESS_TREE_H_
