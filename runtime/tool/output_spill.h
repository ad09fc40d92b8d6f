#ifndef STILE_RUNTIME_TOOL_OUTPUT_SPILL_H_
#define STILE_RUNTIME_TOOL_OUTPUT_SPILL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Keeps the whole of an output that is too long to be shown in a file of its own, and makes no file
// for a shorter one. Not thread-safe.
class OutputSpill {
 public:
  // The file is `folder`/`prefix`-<random>.txt, written once there are more than `threshold` bytes.
  // An empty `folder` keeps nothing. `fs` not owned.
  OutputSpill(FileSystem* fs, std::string folder, std::string prefix, size_t threshold);

  void Append(absl::string_view bytes);
  // Writes what is left. The first failure of any write; the output then has no file.
  absl::Status Finish();

  const std::string& path() const { return path_; }  // "" if there is no file
  bool cut() const { return cut_; }                  // past the size to which files are kept

 private:
  void Flush();

  FileSystem* fs_;
  std::string folder_;
  std::string prefix_;
  size_t threshold_;
  std::string path_;
  std::string pending_;
  size_t total_ = 0;
  bool cut_ = false;
  absl::Status status_;
};

// Cuts `text` in the middle to `max_bytes` for a model, keeps the whole in a file of `folder`, and
// names the file in a last line. Shorter text is returned as it is.
std::string ShortenWithFile(FileSystem* fs, const std::string& folder, const std::string& prefix,
                            const std::string& text, size_t max_bytes);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_OUTPUT_SPILL_H_
