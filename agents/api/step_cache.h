// Replies of commands that were given before: the same command on the same content of the workspace
// is not run again for a while.
#ifndef STILE_AGENTS_API_STEP_CACHE_H_
#define STILE_AGENTS_API_STEP_CACHE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/base/clock.h"
#include "runtime/process/process_runner.h"
#include "runtime/workflow/step_executor.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// What a command in the workspace could read, as a hash: the content of the snapshot's files; of
// the others there (ignored ones, what links lead to), and of the programs and files that `texts`
// (of the command, of its variables) name, when and what they were; branches, tags and
// configuration of a repository. What lies in folders that are named, in the index of git, and what
// programs open by themselves elsewhere, is left out: an entry has a lifetime.
std::string FingerprintOf(const std::string& workspace, const Snapshot& content,
                          const std::vector<std::string>& texts, const Environment& environment);

// `environment` without the variables that only tell of the terminal and the login session (TERM,
// TMUX, SSH_TTY, DISPLAY, PWD, …). Commands whose replies are kept see no others, and the key of a
// reply holds all of these.
Environment WithoutSession(Environment environment);

// Entries lie in a folder that no command sees, one folder each, and are removed once they are too
// old, whenever somebody looks. Thread-safe; several processes may share the folder.
class StepCache {
 public:
  StepCache(std::string folder, Clock* clock) : folder_(std::move(folder)), clock_(clock) {}

  // The reply kept under `key`; what was kept with it replaces what lies in `artifacts`. nullopt
  // when there is none, or it cannot be read or put back whole.
  std::optional<StepReply> Find(const std::string& key, const std::string& artifacts);
  // Keeps the output, and a copy of `names` in `artifacts` (files and folders of regular files).
  // What cannot be kept is an error, and leaves nothing behind.
  absl::Status Keep(const std::string& key, absl::Duration lifetime, const Json& output,
                    const std::string& artifacts, const std::vector<std::string>& names);

 private:
  void RemoveOld();

  const std::string folder_;
  Clock* const clock_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_STEP_CACHE_H_
