// The content of the start of a run: where it is kept, copies of it, and errors it had.
#ifndef STILE_RUNTIME_COVERAGE_BASELINE_H_
#define STILE_RUNTIME_COVERAGE_BASELINE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/process/process_runner.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

struct Project;
class Validator;

// Where the contents of the baseline are to be had after the files have changed.
class BaselineContent {
 public:
  virtual ~BaselineContent() = default;
  // The content whose hash `file` records (a link's text for a symlink). NotFound if it was not
  // kept.
  virtual absl::StatusOr<std::string> Read(const FileRecord& file) = 0;
  // Makes sure that Read finds it in later runs too.
  virtual absl::Status Keep(const FileRecord& file) = 0;
  // Whether Read gives the content of the workspace as it is, perhaps with a few other texts.
  virtual bool is_present() const { return false; }
};

// What experiments of the gate run on. None owned; all outlive the user.
struct TrialObservation;  // observation.h

struct ScratchContext {
  std::string workspace;  // absolute, no symlinks
  // Of a file or folder (relative to the workspace) that the ignore rules leave out: whether it
  // only holds what validators write, so that a copy makes its own. May be null: none does.
  std::function<bool(const std::string& path)> is_output;
  // Of the same: whether validators read it and did not write it. May be null: none.
  std::function<bool(const std::string& path)> is_read;
  std::string folder;  // experiments make folders of their own in it, and remove them
  const IgnoreRules* ignore_rules = nullptr;
  const Environment* environment = nullptr;  // cleaned
  FileSystem* file_system = nullptr;
  ProcessRunner* runner = nullptr;
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;
  // The state_dir of validations of the workspace itself, for copies that programs see at the
  // workspace's path. May be null, and "" where no sandbox can show them there.
  std::function<std::string(const Validator& validator, const Project& project)> state_dir_of;
  bool failure_is_expected = false;         // see ValidationRequest
  TrialObservation* observation = nullptr;  // null: not observed. Filled by ValidateCopy
};

// Writes the files of `baseline` into `folder` (created; must not exist). Folders that the ignore
// rules leave out (node_modules, virtual environments) are linked from the workspace, since they
// were not recorded: all but those that `context.is_output` names. Files that they leave out are
// copied with their times where the content is the present one (an older one had others), if they
// are small or `context.is_read` names them.
absl::Status CheckOutBaseline(const ScratchContext& context, const Snapshot& baseline,
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

#endif  // STILE_RUNTIME_COVERAGE_BASELINE_H_
