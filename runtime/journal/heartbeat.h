// Tells until when a process worked on a run, also where it was killed.
#ifndef STILE_RUNTIME_JOURNAL_HEARTBEAT_H_
#define STILE_RUNTIME_JOURNAL_HEARTBEAT_H_

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "runtime/journal/run_store.h"

namespace stile {

// Touches RunPaths::alive twice a second while it lives, in a thread of its own. A file that cannot
// be touched is no error: LastAlive then gives an earlier time.
class Heartbeat {
 public:
  explicit Heartbeat(const RunPaths& run);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void Beat();

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;  // guarded by mutex_
  std::thread thread_;
};

// The time by which the last process that worked on the run was dead, by the clock of the file
// system: at most a second after its last touch. nullopt where none is known.
std::optional<absl::Time> LastAlive(const RunPaths& run);

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_HEARTBEAT_H_
