// The seam between the gate and whoever knows how code and settings make a judge look away.
#ifndef STILE_RUNTIME_GATE_WEAKENING_H_
#define STILE_RUNTIME_GATE_WEAKENING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stile {

// A changed file with its content at the reference and now; nullopt: absent then.
struct ContentPair {
  std::string path;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// Something that lets less be found out than before.
struct Weakening {
  // kMinor: one place in the code (an ignore comment, a pragma). Told in the certificate.
  // kGrave: a whole file, a setting, a test. Keeps the gate shut under gate.weakening: reject.
  // kExpectation: a value that a test expects. Usual work, and grave where it was edited after the
  // test was seen to fail (red_tests.h); otherwise not told.
  enum class Weight { kMinor, kGrave, kExpectation } weight = Weight::kMinor;
  std::string path;
  int line = 0;      // 1-based, in the new content; 0 for none
  std::string what;  // "'# mypy: ignore-errors' keeps the file from being checked"
  // What it is, by a name that does not change: "assertion-removed".
  std::string rule = {};
};

// The files of a workspace as they are now, changed or not.
class WorkspaceFiles {
 public:
  virtual ~WorkspaceFiles() = default;
  // Regular files, sorted.
  virtual std::vector<std::string> Paths() const = 0;
  // NotFound if there is none of that path.
  virtual absl::StatusOr<std::string> Read(const std::string& path) const = 0;
};

class WeakeningDetector {
 public:
  virtual ~WeakeningDetector() = default;
  // Whether changes of this file can weaken something though it is neither code nor part of a
  // build: scripts that run tests, settings that are loaded before a program.
  virtual bool Reads(const std::string& path) const = 0;
  // What the changes, taken together, weaken: code that moved from one file to another weakens
  // nothing. Sorted by path and line. `files` tells what stands beside the changes: what they
  // shadow, and the macros that they call; what cannot be read there counts as absent. Thread-safe.
  virtual std::vector<Weakening> Compare(const std::vector<ContentPair>& changes,
                                         const WorkspaceFiles& files) const = 0;
  // How many tests fewer the changed files hold than before; 0 if they hold as many or more.
  // Whether these may go is for Compare to say: a run of tests may count fewer by as many as these.
  virtual int TestsTakenOut(const std::vector<ContentPair>& changes) const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_WEAKENING_H_
