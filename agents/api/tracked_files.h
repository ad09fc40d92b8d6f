// The files of a workspace that git tracks.
#ifndef STILE_AGENTS_API_TRACKED_FILES_H_
#define STILE_AGENTS_API_TRACKED_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/git/repository.h"
#include "tools/index/file_reading.h"

namespace stile {

// Asks git again only when its index has changed. Not thread-safe.
class TrackedFiles {
 public:
  // Nothing is owned; no program is started yet.
  TrackedFiles(ProcessRunner* runner, Clock* clock, std::string workspace)
      : runner_(runner), clock_(clock), workspace_(std::move(workspace)) {}

  // Sorted, relative to the workspace, raw bytes. Empty where git has no answer: there is no
  // repository, or no git. Blocks while git runs.
  const std::vector<std::string>& Get();

 private:
  ProcessRunner* const runner_;
  Clock* const clock_;
  const std::string workspace_;
  bool is_open_ = false;                  // it was tried
  std::optional<Repository> repository_;  // nullopt: there is none
  SeenFile index_;
  std::vector<std::string> files_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_TRACKED_FILES_H_
