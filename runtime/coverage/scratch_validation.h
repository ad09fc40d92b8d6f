#ifndef STILE_RUNTIME_COVERAGE_SCRATCH_VALIDATION_H_
#define STILE_RUNTIME_COVERAGE_SCRATCH_VALIDATION_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/coverage/baseline.h"
#include "runtime/validation/validator.h"

namespace stile {

// Content as it lies in the workspace.
class WorkspaceContent : public BaselineContent {
 public:
  WorkspaceContent(FileSystem* fs, std::string workspace);
  absl::StatusOr<std::string> Read(const FileRecord& file) override;
  absl::Status Keep(const FileRecord&) override { return absl::OkStatus(); }
  bool is_present() const override { return true; }

 private:
  FileSystem* const fs_;
  const std::string workspace_;
};

// `source` with other texts for some paths. Owns neither.
class ContentOverlay : public BaselineContent {
 public:
  ContentOverlay(BaselineContent* source, const std::map<std::string, std::string>* texts)
      : source_(source), texts_(texts) {}
  absl::StatusOr<std::string> Read(const FileRecord& file) override;
  absl::Status Keep(const FileRecord&) override { return absl::OkStatus(); }
  bool is_present() const override { return source_->is_present(); }

 private:
  BaselineContent* const source_;
  const std::map<std::string, std::string>* const texts_;
};

// Validates a copy: the files of `content`, read from `source`, with what is ignored linked from
// the workspace. Where context.state_dir_of allows it, programs see copies of the present content
// at the path of the workspace; files that they write name it so. Cold, and it counts as nothing:
// no failure, no pass. FailedPrecondition when the copy cannot be made. `switches`: see
// ValidationRequest.
absl::StatusOr<ValidationResult> ValidateCopy(const ScratchContext& context,
                                              const Validator& validator, const Project& project,
                                              const Snapshot& content, BaselineContent* source,
                                              const BuildSwitches* switches = nullptr);

// The same on the workspace itself as it is now.
absl::StatusOr<ValidationResult> ValidateInPlace(const ScratchContext& context,
                                                 const Validator& validator,
                                                 const Project& project);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_SCRATCH_VALIDATION_H_
