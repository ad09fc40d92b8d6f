#include "runtime/coverage/scratch_validation.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/coverage/observation.h"
#include "runtime/coverage/shown_copy.h"
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
  request.failure_is_expected = context.failure_is_expected;
  request.state_dir = state_dir;
  request.environment = *context.environment;
  request.switches = switches;
  request.network = NeedsNetwork(*project.language, validator.id());
  request.runner = context.runner;
  request.clock = context.clock;
  request.cancellation = context.cancellation;
  return validator.Validate(request);
}

// Where programs see the copy, and the state of its validator.
struct SeenPlaces {
  std::string workspace;
  std::string state;
};

// Runs `validate`; under observation if context.observation asks for it.
absl::StatusOr<ValidationResult> RunObserved(
    const ScratchContext& context, const SeenPlaces& places,
    absl::FunctionRef<absl::StatusOr<ValidationResult>(const ScratchContext&)> validate) {
  if (context.observation == nullptr) return validate(context);
  const std::string copy = places.state + "/tree";  // ValidationRequest::copy_dir
  ObservingRunner observer(context.runner, {places.workspace, copy}, /*looks=*/false);
  ScratchContext observed = context;
  observed.runner = &observer;
  STILE_ASSIGN_OR_RETURN(ValidationResult result, validate(observed));
  TrialObservation& observation = *context.observation;
  const auto uses = observer.uses();
  if (uses.has_value()) {
    // Which compilers are believed is asked of the workspace, with which this one is compared.
    observation.seen = InterpretUses(
        *uses, {places.workspace, copy, observation.compilers, absl::InfiniteFuture()});
  }
  return result;
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
  if (own_state.empty()) {
    return RunObserved(context, {copy.workspace, state}, [&](const ScratchContext& observed) {
      return Run(observed, validator, copy, state, switches);
    });
  }
  auto places = MirrorCopy(copy.workspace, context.workspace, scratch.Sub("shown"));
  if (!places.ok()) return absl::FailedPreconditionError(places.status().message());
  (*places)[own_state] = state;
  return RunObserved(context, {context.workspace, own_state}, [&](const ScratchContext& observed) {
    RelocatedRunner runner(observed.runner,
                           {{copy.workspace, context.workspace}, {state, own_state}},
                           *std::move(places));
    ScratchContext shown = observed;
    shown.runner = &runner;
    return Run(shown, validator, copy, state, switches);
  });
}

absl::StatusOr<ValidationResult> ValidateInPlace(const ScratchContext& context,
                                                 const Validator& validator,
                                                 const Project& project) {
  const ScratchFolder scratch(context.folder);
  return Run(context, validator, project, scratch.Sub("state"), nullptr);
}

}  // namespace stile
