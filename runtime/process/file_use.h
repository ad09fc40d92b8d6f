// One use of a file by a program, as a FileObserver reports it.
#ifndef STILE_RUNTIME_PROCESS_FILE_USE_H_
#define STILE_RUNTIME_PROCESS_FILE_USE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stile {

// Which file a path led to, and its state. Each write and each rename changes `changed_ns`.
struct FileIdentity {
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t changed_ns = 0;  // ctime

  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.inode == b.inode && a.size == b.size && a.changed_ns == b.changed_ns;
  }
};

// One process, from the execve of its program on.
struct ProgramRun {
  // As they were when it opened the first observed file, with response files (@FILE) replaced by
  // the words that they held.
  std::vector<std::string> arguments;
  // What it gave to exit_group, 0 to 255. nullopt: it was killed, or is still running, or runs
  // another program by now. A thread that ends alone says nothing.
  std::optional<int> status;
};

// One use of a file by a program, as FileObserver saw it.
struct FileUse {
  enum class Kind {
    kRead,     // opened for reading, or executed
    kWritten,  // opened for writing, made, or put there under this name
    kMissing,  // opened where there was no file
    kSought,   // asked for by stat or access where there was no file
    kListed,   // a folder, opened
  };

  std::string path;     // absolute, symlinks followed
  std::string program;  // the executable, absolute, symlinks followed
  // What an interpreter runs: the first of its arguments that names a file (absolute, symlinks
  // followed), or "-m NAME". "" for all other programs.
  std::string script;
  Kind kind = Kind::kRead;
  // Of reads: the file at the last one, and whether all of them led to the same file and state.
  FileIdentity identity;
  bool is_stable = true;
  // Of reads: the processes; the first ones where there are many.
  std::vector<std::shared_ptr<const ProgramRun>> runs;

  friend bool operator<(const FileUse& a, const FileUse& b) {
    return std::tie(a.path, a.program, a.script, a.kind) <
           std::tie(b.path, b.program, b.script, b.kind);
  }
  friend bool operator==(const FileUse& a, const FileUse& b) {
    return std::tie(a.path, a.program, a.script, a.kind) ==
           std::tie(b.path, b.program, b.script, b.kind);
  }
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_FILE_USE_H_
