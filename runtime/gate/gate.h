// The gate of one run: looks at the workspace, runs validators, and says whether the run may
// finish. It never reads what the model says.
#ifndef STILE_RUNTIME_GATE_GATE_H_
#define STILE_RUNTIME_GATE_GATE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/baseline.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/gate/gate_verdict.h"
#include "runtime/gate/validation_tracker.h"
#include "runtime/validation/changed_functions.h"
#include "runtime/validation/code_scopes.h"
#include "runtime/validation/conditional_code.h"
#include "runtime/validation/syntax_check.h"
#include "runtime/validation/target_map.h"
#include "runtime/validation/validation_service.h"
#include "runtime/validation/weakening.h"

namespace stile {

struct GateOptions {
  std::string workspace;  // absolute, no symlinks
  std::string state_dir;  // of this workspace, outside of it; see RunStore::WorkspaceDir
  GateSettings settings;
  Environment environment;  // inherited; validators get a cleaned one
  IgnoreRules ignore_rules;
  // Files that already differ from what is known to be good when the run starts (by version
  // control), with the good content; nullopt: absent. They are changes like the run's own.
  std::map<std::string, std::optional<Sha256Digest>> inherited;
  std::optional<Snapshot> baseline;  // of an interrupted run that goes on; else taken at Start

  // None owned; all outlive the gate. `events` may be null.
  const LanguageRegistry* languages = nullptr;
  const ValidatorRegistry* validators = nullptr;
  FileSystem* file_system = nullptr;
  ProcessRunner* runner = nullptr;
  Clock* clock = nullptr;
  EventStream* events = nullptr;
  BaselineContent* baseline_content = nullptr;
  const WeakeningDetector* weakening = nullptr;  // may be null: nothing is found
  const ConditionFinder* conditions = nullptr;   // may be null: nothing is conditional
  const ScopeFinder* scopes = nullptr;           // may be null: all code of a file is one scope
  const SyntaxChecker* syntax = nullptr;         // may be null: no syntax is checked
  // May be null: red tests are excused wherever they run through.
  const ChangedFunctionFinder* functions = nullptr;
  const Cancellation* cancellation = nullptr;
  ValidationLog log;  // see ValidationRequest; of the workspace, not of trial copies
  // A run answers for changes: they are remembered until it is accepted. Not so for a mere look.
  bool remembers_changes = true;
};

// Validations that failed.
struct FailureCounts {
  int in_a_row = 0;  // since the last success
  int of_run = 0;
};

struct GateState;  // runtime/gate/gate_state.h

// Not thread-safe. All hashes and verdicts are about files on disk at the moment of the call.
class Gate : public ValidationService {
 public:
  // Takes the baseline snapshot. Errors: the workspace cannot be read.
  static absl::StatusOr<std::unique_ptr<Gate>> Start(GateOptions options);
  ~Gate() override;

  // Returns what changed since the last look, and tells it. Call after each tool that may write.
  absl::StatusOr<std::vector<FileChange>> Refresh();

  // Runs the targets that the arguments select, counts failures, and reports.
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) override;

  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>& paths) override;
  absl::StatusOr<ProbeReport> ProbeDeprecated(const std::vector<std::string>& paths) override;
  absl::StatusOr<ExampleReport> ProbeExamples(const std::vector<DocExample>& examples) override;

  // Judges the workspace as it is now. kNeedsValidation only under on_finish: validate: the caller
  // runs Validate({}) and asks again with `validated` true.
  absl::StatusOr<Judgement> JudgeFinish(bool validated);

  // max_failures consecutive validations failed / max_infra_errors could not be run.
  bool failures_exhausted() const;
  bool infra_errors_exhausted() const;
  FailureCounts failures() const;
  // The newest report, for the last words of a run that the gate ended.
  const std::optional<ValidationReport>& last_report() const;

  std::vector<Blocker> UnvalidatedTargets();
  // Differences from the start of the run, outputs of validators left out.
  std::vector<FileChange> Changes() const;
  const Snapshot& baseline() const;
  const Snapshot& current() const;
  // Files that validators of this run wrote into the workspace, and what it holds without them.
  const std::set<std::string>& validator_outputs() const;
  Snapshot WithoutOutputs() const;
  // See WorkspaceMemory.
  const std::vector<std::string>& source_folders() const;
  const TargetMap& targets() const;
  const GateSettings& settings() const;

  // Puts back the memory of an interrupted run; passes only where the content is the same.
  void Restore(const PastValidations& past);
  // After Restore: validates cold what had passed, since only the process that saw a pass knows
  // what it read. What does not pass now is dirty. Counts as no validation and has no events.
  absl::Status RevalidatePassed();

  // Once, when the run is over: remembers accepted content, or what is still unvalidated.
  absl::Status Close(bool accepted);

 private:
  explicit Gate(GateOptions options);

  const std::unique_ptr<GateState> state_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_H_
