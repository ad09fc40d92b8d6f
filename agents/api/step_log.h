// The file that gets all that one step of a workflow prints.
#ifndef STILE_AGENTS_API_STEP_LOG_H_
#define STILE_AGENTS_API_STEP_LOG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/unique_fd.h"

namespace stile {

// Not thread-safe.
class StepLog {
 public:
  static constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;
  static constexpr size_t kMaxTextBytes = size_t{4} << 20;

  // The file `name` of the folder, which is made if missing; a file that is there already is
  // replaced. InvalidArgument for names that are more than letters, digits, '-', '_' and '.'.
  static absl::StatusOr<StepLog> Open(const std::string& folder, const std::string& name);

  // Behind kMaxFileBytes the file only says that it ends there.
  void Append(absl::string_view piece);
  const std::string& path() const { return path_; }
  bool empty() const { return bytes_ == 0; }
  // All of it, cut in the middle past kMaxTextBytes.
  std::string Text() const;
  // Why the file is not whole; "" if it is.
  const std::string& problem() const { return problem_; }

 private:
  StepLog(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}
  void Write(absl::string_view piece);

  std::string path_;
  UniqueFd file_;
  uint64_t bytes_ = 0;
  std::string text_;  // the first half of kMaxTextBytes, and at least the last half
  std::string problem_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_STEP_LOG_H_
