#include "runtime/gate/gate_validator_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/gate/validator_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// The verdict does not count.
void Distrust(const std::string& why, ValidationResult* result) {
  result->verdict = Verdict::kInfraError;
  result->diagnostics.clear();
  result->message = why;
}

// `way`: "uses", "ran".
std::string ChangedScriptText(const Target& target, absl::string_view way,
                              const std::string& script) {
  return absl::StrCat(
      "the command of ", target.validator->id(), " ", way, " ", ToUtf8(script),
      ", which was changed during this run, so its verdict does not count; put the file back as "
      "it was when the run began (changes of it count from the next run on)");
}

// A run that can replace the compiler decides its verdict. nullopt: it has not.
std::optional<std::string> ChangedCompilerText(const Target& target, const PinnedScripts& scripts,
                                               const Snapshot& baseline,
                                               const ValidationResult& result) {
  const absl::Time run_began = absl::FromUnixNanos(baseline.taken_at_ns());
  if (const auto script = scripts.Changed(run_began); script.has_value())
    return ChangedScriptText(target, "uses", *script);
  const auto changed = CompilerFileChangedSince(result.toolchain.program, run_began);
  if (!changed.has_value() || baseline.taken_at_ns() <= 0 || scripts.Holds(*changed))
    return std::nullopt;
  return absl::StrCat("the compiler was changed during this run: ", ToUtf8(*changed),
                      "; what it says does not count before the next run");
}

bool IsPass(Verdict verdict) { return verdict == Verdict::kPass || verdict == Verdict::kFlakyPass; }

// A report that counts failures is one, whatever the program ended with.
void CountReportedFailures(ValidationResult* result) {
  if (result->verdict != Verdict::kPass || !result->tests.has_value() ||
      result->tests->failed <= 0) {
    return;
  }
  result->verdict = Verdict::kFail;
  result->message = absl::StrCat(Count(static_cast<size_t>(result->tests->failed), "test"),
                                 " failed by its own report, though it ended with success");
}

}  // namespace

// Build tools know which code compilers read. Dependencies on data, and on code that generators and
// scripts read, are often not declared, and a file that is gone can leave its outputs behind.
static bool NeedsColdRun(const GateState& gate, const Target& target,
                         const ValidatorState::Preparation& preparation) {
  const std::vector<std::string>& changed = preparation.changed;
  return std::any_of(changed.begin(), changed.end(), [&](const std::string& path) {
    const bool is_build_file = !gate.options.languages->OfBuildFile(path).empty();
    const bool is_known = gate.options.languages->OfFile(path) != nullptr || is_build_file;
    if (!is_build_file && preparation.read.by_tools.count(path) > 0) return true;
    return !is_known || (target.inputs.count(path) == 0 && !gate.current.Contains(path));
  });
}

// A program or script of the workspace that a declared command ran, that it does not judge, and
// that the run changed.
static std::optional<std::string> ChangedJudge(const GateState& gate, const Target& target,
                                               const ValidatorRun& run) {
  if (!run.observed.has_value() || !target.project.language->declared) return std::nullopt;
  const absl::Time run_began = absl::FromUnixNanos(gate.baseline.taken_at_ns());
  for (const std::string& path : run.observed->ran) {
    if (std::binary_search(target.code_files.begin(), target.code_files.end(), path)) continue;
    const FileRecord* const now = gate.current.Find(path);
    const FileRecord* const before = gate.baseline.Find(path);
    const bool is_changed = now != nullptr
                                ? before == nullptr || !(before->hash == now->hash)
                                : ChangedSince(JoinPath(gate.options.workspace, path), run_began);
    if (is_changed) return path;
  }
  return std::nullopt;
}

ValidationRequest RequestFor(const GateState& gate, const Target& target,
                             const ValidatorState& state,
                             const ValidatorState::Preparation& preparation) {
  ValidationRequest request;
  request.project = &target.project;
  request.changed = preparation.changed;
  request.cold = preparation.cold;
  request.state_dir = RealPath(state.state_dir()).value_or(state.state_dir());
  request.environment = gate.clean_environment;
  request.network = NeedsNetwork(*target.project.language, target.validator->id());
  request.clock = gate.options.clock;
  request.cancellation = gate.options.cancellation;
  request.log = gate.options.log;
  return request;
}

// Whether the incremental state that the run left may be used again.
static bool LeftSoundState(const Target& target, const ValidatorRun& run) {
  // What a crash or a kill left behind is not trusted.
  if (!IsPass(run.result.verdict) && run.result.verdict != Verdict::kFail) return false;
  // State that the build made after overwriting code is not trusted either.
  return !run.observed.has_value() ||
         std::none_of(
             target.code_files.begin(), target.code_files.end(),
             [&](const std::string& path) { return run.observed->written.count(path) > 0; });
}

// `before`: what the state knows of earlier runs.
static void NoteRead(GateState* gate, const Target& target, ReadSet before, absl::Time began,
                     ValidatorRun* run) {
  if (run->observed.has_value()) NoteOutputs(gate, target, *run->observed);
  run->read.files = StampsOfRead(*gate, target, *run, before.files, began);
  // Incremental builds list less than cold ones.
  run->read.folders = std::move(before.folders);
  run->read.by_tools = std::move(before.by_tools);
  if (run->observed.has_value()) {
    for (auto& [folder, listing] : ListFolders(gate->options.workspace, *run->observed, began)) {
      run->read.folders[folder] = std::move(listing);
    }
    run->read.by_tools.merge(run->observed->read_by_tools);
  }
  for (const auto& [path, stamp] : run->read.files) {
    const FileRecord* const known = gate->current.Find(path);
    const bool is_known = known != nullptr && stamp.content == known->hash;
    const bool is_own = run->observed.has_value() && run->observed->written.count(path) > 0;
    if (stamp.is_young && !is_known && !is_own) run->unsettled.push_back(path);
  }
}

absl::StatusOr<ValidatorRun> RunValidator(GateState* gate, const Target& target, bool force_cold) {
  const absl::Duration start = gate->options.clock->Monotonic();
  const absl::Time began = gate->options.clock->Now();
  const bool observes = Observes(gate);
  STILE_ASSIGN_OR_RETURN(
      ValidatorState state,
      ValidatorState::Open(gate->options.file_system,
                           JoinPath(gate->options.state_dir, "validators"), target.key));
  STILE_ASSIGN_OR_RETURN(
      ValidatorState::Preparation preparation,
      state.Prepare(gate->options.workspace, target.inputs, force_cold, observes));
  if (!preparation.cold && NeedsColdRun(*gate, target, preparation)) {
    STILE_ASSIGN_OR_RETURN(preparation, state.Prepare(gate->options.workspace, target.inputs,
                                                      /*force_cold=*/true, observes));
  }
  ValidationRequest request = RequestFor(*gate, target, state, preparation);
  // stat calls are observed in cold runs only: they double the time of some tools, and the files
  // that a cold run did not find stay known.
  const std::string copy = request.copy_dir();
  ObservingRunner observer(gate->options.runner, {gate->options.workspace, copy}, request.cold);
  request.runner = observes ? &observer : gate->options.runner;
  ValidatorRun run;
  run.cold = request.cold;
  const PinnedScripts scripts(gate->options.workspace, target.validator->scripts(target.project),
                              gate->baseline);
  STILE_ASSIGN_OR_RETURN(run.result, target.validator->Validate(request));
  run.result.duration = gate->options.clock->Monotonic() - start;
  if (const auto why = ChangedCompilerText(target, scripts, gate->baseline, run.result)) {
    Distrust(*why, &run.result);
    return run;
  }
  const auto uses = observes ? observer.uses() : std::nullopt;
  if (uses.has_value()) {
    run.observed =
        InterpretUses(*uses, {gate->options.workspace, copy, target.validator->compilers(),
                              absl::FromUnixNanos(gate->baseline.taken_at_ns())});
  } else if (observes && IsPass(run.result.verdict)) {
    run.result.verdict = Verdict::kInfraError;
    run.result.message =
        "a program of the build could not be observed, so what it read is not known; run it "
        "without a supervisor of its own (gdb, strace, a container), or see stile doctor";
    return run;
  }
  if (const auto script = ChangedJudge(*gate, target, run); script.has_value()) {
    Distrust(ChangedScriptText(target, "ran", *script), &run.result);
    return run;
  }
  NoteRead(gate, target, std::move(preparation.read), began, &run);
  CountReportedFailures(&run.result);
  if (LeftSoundState(target, run)) {
    std::optional<ReadSet> read;
    if (run.observed.has_value()) read = run.read;
    STILE_RETURN_IF_ERROR(state.Finish(target.inputs, read));
  }
  return run;
}

}  // namespace stile
