#ifndef STILE_RUNTIME_GATE_VALIDATOR_STATE_H_
#define STILE_RUNTIME_GATE_VALIDATOR_STATE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/file_stamp.h"
#include "runtime/coverage/folder_listing.h"
#include "runtime/validation/target_map.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Stamps of files by their path below the workspace.
using FileStamps = std::map<std::string, FileStamp>;

// What validations read besides the inputs of their target.
struct ReadSet {
  FileStamps files;
  FolderListings folders;
  // Of all files, those that programs other than compilers read. Build tools may not know what
  // depends on these.
  std::set<std::string> by_tools;
};

// Incremental state of one target between validations and runs, and what makes it safe to use:
// build tools trust mtimes, which anybody can put back. So the content of the inputs at the last
// validation is remembered beside the state, and an input that differs from it gets a fresh mtime
// before the next one. Other files that were read keep their mtime, because the user's own build
// may have made them. If such a file changed and is not newer than the last validation, or if the
// memory is missing or damaged (a crash, a first use), the state is thrown away: a cold run. One
// process at a time; a second one works in a private folder that is removed afterwards.
class ValidatorState {
 public:
  // `folder`: all validator state of one workspace; created if missing.
  static absl::StatusOr<ValidatorState> Open(FileSystem* fs, const std::string& folder,
                                             const TargetKey& target);
  ValidatorState(ValidatorState&& other) noexcept;
  ValidatorState& operator=(ValidatorState&&) = delete;
  ~ValidatorState();

  struct Preparation {
    // Inputs, and other files that were read, that differ from the last validation, sorted.
    std::vector<std::string> changed;
    bool cold = false;
    // What earlier validations read to make the state; empty if it is cold.
    ReadSet read;
  };
  // Call before a validation of `inputs` below `workspace`. Forgets the memory until Finish, so
  // that a crash in between means a cold run. With `observed`, state without a list of the files
  // that it was made from is not used.
  absl::StatusOr<Preparation> Prepare(const std::string& workspace, const ContentMap& inputs,
                                      bool force_cold, bool observed);
  // Call after it, with the inputs that were judged, and what else this validation, or those that
  // made the state, read. nullopt: not known.
  absl::Status Finish(const ContentMap& inputs, const std::optional<ReadSet>& read);

  // What the last validation of the target read, in this run or an earlier one. Empty when that is
  // not known.
  static ReadSet ReadBy(FileSystem* fs, const std::string& folder, const TargetKey& target);

  // Where Open's state_dir lies unless another run holds it.
  static std::string FolderOf(const std::string& folder, const TargetKey& target);
  const std::string& state_dir() const { return state_dir_; }

 private:
  ValidatorState() = default;
  FileSystem* fs_ = nullptr;
  std::string memory_file_;
  std::string state_dir_;
  bool private_ = false;
  int lock_fd_ = -1;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_VALIDATOR_STATE_H_
