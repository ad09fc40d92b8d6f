#include "runtime/gate/scratch_validation.h"

#include <utility>

#include "runtime/base/status.h"
#include "runtime/gate/shown_copy.h"
#include "runtime/process/relocated_runner.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

absl::StatusOr<ValidationResult> Run(const ScratchContext& context, const Validator& validator,
                                     const Project& project, const std::string& state_dir,
                                     const BuildSwitches* switches) {
  STILE_RETURN_IF_ERROR(context.file_system->MakeDirs(state_dir));
  ValidationRequest request;
  request.project = &project;
  request.changed = project.files;
  request.cold = true;
  request.state_dir = state_dir;
  request.environment = *context.environment;
  request.switches = switches;
  request.network = NeedsNetwork(*project.language, validator.id());
  request.runner = context.runner;
  request.clock = context.clock;
  request.cancellation = context.cancellation;
  return validator.Validate(request);
}

}  // namespace

WorkspaceContent::WorkspaceContent(FileSystem* fs, std::string workspace)
    : fs_(fs), workspace_(std::move(workspace)) {}

absl::StatusOr<std::string> WorkspaceContent::Read(const FileRecord& file) {
  constexpr size_t kMaxBytes = size_t{1} << 30;
  const std::string path = JoinPath(workspace_, file.path);
  if (file.kind == FileRecord::Kind::kSymlink) return ReadLink(path);
  return fs_->ReadFile(path, kMaxBytes);
}

absl::StatusOr<std::string> ContentOverlay::Read(const FileRecord& file) {
  const auto found = texts_->find(file.path);
  if (found == texts_->end()) return source_->Read(file);
  return found->second;
}

absl::StatusOr<ValidationResult> ValidateCopy(const ScratchContext& context,
                                              const Validator& validator, const Project& project,
                                              const Snapshot& content, BaselineContent* source,
                                              const BuildSwitches* switches) {
  const ScratchFolder scratch(context.folder);
  Project copy = project;
  copy.workspace = scratch.Sub("workspace");
  const absl::Status status = CheckOutBaseline(context, content, source, copy.workspace);
  if (!status.ok()) return absl::FailedPreconditionError(status.message());
  const std::string state = scratch.Sub("state");
  // Reports and lists that builds write name the files where the build saw them. Of older content
  // they are needed; of the present one only what tools print.
  const bool is_shown = source->is_present() && context.state_dir_of != nullptr;
  const std::string own_state = is_shown ? context.state_dir_of(validator, project) : "";
  if (own_state.empty()) return Run(context, validator, copy, state, switches);
  auto places = MirrorCopy(copy.workspace, context.workspace, scratch.Sub("shown"));
  if (!places.ok()) return absl::FailedPreconditionError(places.status().message());
  (*places)[own_state] = state;
  RelocatedRunner runner(context.runner, {{copy.workspace, context.workspace}, {state, own_state}},
                         *std::move(places));
  ScratchContext shown = context;
  shown.runner = &runner;
  return Run(shown, validator, copy, state, switches);
}

absl::StatusOr<ValidationResult> ValidateInPlace(const ScratchContext& context,
                                                 const Validator& validator,
                                                 const Project& project) {
  const ScratchFolder scratch(context.folder);
  return Run(context, validator, project, scratch.Sub("state"), nullptr);
}

}  // namespace stile
