#include "runtime/process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace stile {
namespace {

// Writes a positive number; returns the end of it.
char* AppendNumber(char* end, pid_t number) {
  char digits[16];
  int count = 0;
  for (; number > 0; number /= 10) digits[count++] = static_cast<char>('0' + number % 10);
  while (count > 0) *end++ = digits[--count];
  return end;
}

// Reads /proc/<pid>/<name> into `buffer`, ended by a NUL. False if it cannot be read.
bool ReadProcFile(pid_t pid, const char* name, char* buffer, size_t capacity) {
  char path[96] = "/proc/";
  char* end = AppendNumber(path + 6, pid);
  *end++ = '/';
  while (*name != '\0') *end++ = *name++;
  *end = '\0';
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t size = read(fd, buffer, capacity - 1);
  close(fd);
  if (size <= 0) return false;
  buffer[size] = '\0';
  return true;
}

int64_t NextNumber(const char** text) {
  while (**text == ' ') ++*text;
  int64_t value = 0;
  while (**text >= '0' && **text <= '9') value = value * 10 + (*(*text)++ - '0');
  return value;
}

void SkipFields(const char** text, int count) {
  for (; count > 0; --count) {
    while (**text == ' ') ++*text;
    while (**text != ' ' && **text != '\0') ++*text;
  }
}

// The fields of proc(5) stat: pid (name) state ppid pgrp session … num_threads …; the name may hold
// anything.
bool ReadEntry(pid_t pid, ProcessEntry* entry) {
  char buffer[512];
  if (!ReadProcFile(pid, "stat", buffer, sizeof(buffer))) return false;
  const char* text = strrchr(buffer, ')');
  if (text == nullptr || text[1] != ' ' || text[2] == '\0') return false;
  text += 2;
  const char state = *text++;
  entry->pid = pid;
  entry->zombie = state == 'Z' || state == 'X';
  entry->parent = static_cast<pid_t>(NextNumber(&text));
  entry->group = static_cast<pid_t>(NextNumber(&text));
  entry->session = static_cast<pid_t>(NextNumber(&text));
  SkipFields(&text, 13);
  entry->threads = static_cast<int>(NextNumber(&text));
  entry->below_root = false;
  return true;
}

bool IsBelowRoot(const ProcessEntry* entries, size_t count, pid_t pid) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (entries[middle].pid < pid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && entries[low].pid == pid && entries[low].below_root;
}

}  // namespace

size_t ListProcesses(ProcessEntry* entries, size_t capacity) {
  const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t count = 0;
  alignas(8) char buffer[4096];
  ssize_t size;
  // readdir would allocate; the system call does not. /proc lists pids in ascending order.
  while ((size = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
    for (ssize_t offset = 0; offset < size;) {
      const auto* record = reinterpret_cast<const dirent64*>(buffer + offset);
      offset += record->d_reclen;
      if (record->d_name[0] < '1' || record->d_name[0] > '9') continue;
      const char* name = record->d_name;
      const pid_t pid = static_cast<pid_t>(NextNumber(&name));
      if (count < capacity && ReadEntry(pid, &entries[count])) ++count;
    }
  }
  close(fd);
  return count;
}

size_t ListDescendants(pid_t root, ProcessEntry* entries, size_t capacity) {
  const size_t count = ListProcesses(entries, capacity);
  // One pass is enough unless pids wrapped around and a child has a lower one than its parent.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < count; ++i) {
      ProcessEntry& entry = entries[i];
      if (entry.below_root) continue;
      if (entry.parent == root || IsBelowRoot(entries, count, entry.parent)) {
        entry.below_root = changed = true;
      }
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].below_root) entries[kept++] = entries[i];
  }
  return kept;
}

size_t ListChildren(pid_t parent, pid_t* children, size_t capacity) {
  char name[64] = "task/";
  char* end = AppendNumber(name + 5, parent);
  for (const char* rest = "/children"; *rest != '\0'; ++rest) *end++ = *rest;
  *end = '\0';
  char buffer[2048];
  if (parent <= 0 || !ReadProcFile(parent, name, buffer, sizeof(buffer))) return 0;
  size_t count = 0;
  for (const char* text = buffer; count < capacity;) {
    const int64_t pid = NextNumber(&text);
    // A number that ends with the buffer may have been cut.
    if (pid == 0 || *text == '\0') break;
    children[count++] = static_cast<pid_t>(pid);
  }
  return count;
}

size_t ResidentBytes(pid_t pid) {
  char buffer[256];
  if (!ReadProcFile(pid, "statm", buffer, sizeof(buffer))) return 0;
  const char* text = buffer;
  NextNumber(&text);  // total program size
  return static_cast<size_t>(NextNumber(&text)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace stile
