// What lists show of a run.
#ifndef STILE_RUNTIME_JOURNAL_RUN_SUMMARY_H_
#define STILE_RUNTIME_JOURNAL_RUN_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace stile {

constexpr absl::string_view kNotBegun = "not_begun";
inline constexpr char kCommandKind[] = "command";
// In run_started: of a session in which Stile does not start what changes the files.
inline constexpr char kExternal[] = "external";

struct RunSummary {
  std::string id;
  // "run", "story", "workflow" (their steps are runs "<id>.<n>" of their own), or kCommandKind: a
  // command of a workflow that changed something.
  std::string kind;
  std::string task;
  std::string workspace;
  std::string file;  // of a story or a workflow; else ""
  absl::Time started;
  std::string outcome;  // "running", "open" (an external session that is not finished yet),
                        // "interrupted" (no process holds it), or a terminal outcome
  bool undone = false;  // what it changed was put back
  int pid = 0;          // of the process that works on it; 0: none, or unknown
  std::string reason;   // kNotBegun: ended before its journal's first line; only `id` is known
  std::vector<std::string> changed;
  int turns = 0;
  int64_t tokens = 0;
  double cost_usd = 0;
  absl::Duration duration;
};

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_RUN_SUMMARY_H_
