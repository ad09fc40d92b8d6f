#ifndef STILE_TESTS_SUPPORT_TEMP_DIR_H_
#define STILE_TESTS_SUPPORT_TEMP_DIR_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// A new empty folder below $TMPDIR (or /tmp) whose path holds no symlinks; removed with everything
// in it at destruction. Failures of the file system abort the test program with a message.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  // Absolute.
  const std::string& path() const { return path_; }
  // The absolute path of `name` in the folder.
  std::string Path(absl::string_view name) const;
  // Writes (or overwrites) a file, and makes the folders above it.
  void Write(absl::string_view name, absl::string_view text) const;
  void MakeDir(absl::string_view name) const;
  // The content of a file.
  std::string Read(absl::string_view name) const;
  // Whether something has that name, symlinks not followed.
  bool Exists(absl::string_view name) const;

 private:
  std::string path_;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_TEMP_DIR_H_
