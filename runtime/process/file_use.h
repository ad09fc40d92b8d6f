#ifndef STILE_RUNTIME_PROCESS_FILE_USE_H_
#define STILE_RUNTIME_PROCESS_FILE_USE_H_

#include <string>
#include <tuple>

namespace stile {

// One use of a file by a program, as FileObserver saw it.
struct FileUse {
  enum class Kind {
    kRead,     // opened for reading, or executed
    kWritten,  // opened for writing, made, or put there under this name
    kMissing,  // looked for where there was no file
  };

  std::string path;     // absolute, symlinks followed
  std::string program;  // the executable, absolute, symlinks followed
  // What an interpreter runs: the first of its arguments that names a file (absolute, symlinks
  // followed), or "-m NAME". "" for all other programs.
  std::string script;
  Kind kind = Kind::kRead;

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
