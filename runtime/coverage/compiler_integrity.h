#ifndef STILE_RUNTIME_COVERAGE_COMPILER_INTEGRITY_H_
#define STILE_RUNTIME_COVERAGE_COMPILER_INTEGRITY_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/validation/validator.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// A file of the compiler behind `program` (a real path) that was written or put there after
// `start`: the program itself, or one of the package that really holds the compiler, which for a
// launcher in node_modules is its package, and for a script of a virtual environment its module
// there. Times of content or place that nobody can set back (ctime). nullopt: none.
// Whether a file, by its path, came with an installed package: nobody edits it who has not
// something to hide. Packages of names that begin with a dot hold generated files.
bool IsOfInstalledPackage(absl::string_view path);

// Whether the file was made or written to, or its attributes set, after `start`.
bool ChangedSince(const std::string& path, absl::Time start);

std::optional<std::string> CompilerFileChangedSince(const std::string& program, absl::Time start);

// Files of the workspace that a validator's command names (Validator::scripts), around one
// validation: made before it, asked after it. Unlike a compiler, a script that a run changed counts
// again once its content is put back, because a snapshot has its content.
class PinnedScripts {
 public:
  // `workspace`: absolute, no symlinks. `start`: the workspace when the run began. Symlinks pin the
  // file that they lead to as well.
  PinnedScripts(std::string workspace, const std::vector<JudgingFile>& files,
                const Snapshot& start);

  // Whether the file (absolute) is a program or script among them that was there at the start.
  bool Holds(const std::string& path) const;
  // The first whose content differed from the start before the validation. A script also counts
  // if it was replaced since construction, or is new: no snapshot holds it, and it was written
  // after `run_began`. nullopt: none.
  std::optional<std::string> Changed(absl::Time run_began) const;

 private:
  struct Pin {
    bool runs = true;
    bool was_there = false;  // at the start
    bool differs = false;
    std::string identity;  // of a script: inode, size and ctime; "" for none
  };
  void Add(const std::string& path, bool runs, const Snapshot& start);

  const std::string workspace_;
  std::map<std::string, Pin> pins_;  // by path relative to the workspace
};

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_COMPILER_INTEGRITY_H_
