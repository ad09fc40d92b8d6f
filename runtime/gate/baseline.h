#ifndef STILE_RUNTIME_GATE_BASELINE_H_
#define STILE_RUNTIME_GATE_BASELINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/diagnostic.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// Where the contents of the baseline are to be had after the files have changed.
class BaselineContent {
 public:
  virtual ~BaselineContent() = default;
  // The content whose hash `file` records (a link's text for a symlink). NotFound if it was not
  // kept.
  virtual absl::StatusOr<std::string> Read(const FileRecord& file) = 0;
  // Makes sure that Read finds it in later runs too.
  virtual absl::Status Keep(const FileRecord& file) = 0;
};

// Writes the files of `baseline` into `folder` (created; must not exist). What the ignore rules
// leave out (node_modules, virtual environments) is linked from `workspace`, since it was not
// recorded.
absl::Status CheckOutBaseline(FileSystem* fs, const Snapshot& baseline,
                              const std::string& workspace, const IgnoreRules& rules,
                              BaselineContent* content, const std::string& folder);

// Links the folders that the ignore rules of `workspace` leave out, at its top and in every folder
// that `folder` has as well, into `folder`, where nothing stands there.
absl::Status LinkDependencies(const std::string& workspace, const IgnoreRules& rules,
                              const std::string& folder);

// Errors of `now` that `before` does not account for, comparing (file, scope, code, message) as
// multisets: lines may have moved, but no error may be new.
std::vector<Diagnostic> NewErrors(const std::vector<Diagnostic>& before,
                                  const std::vector<Diagnostic>& now);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_BASELINE_H_
