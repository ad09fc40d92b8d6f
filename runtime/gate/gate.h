// The gate of one run: looks at the workspace, runs validators, and says whether the run may
// finish. It never reads what the model says.
// Size: the state that a finish is judged by is one; what reads it is divided among gate_*.cc.
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
#include "runtime/coverage/coverage.h"
#include "runtime/coverage/file_stamp.h"
#include "runtime/coverage/observation.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/gate/gate_verdict.h"
#include "runtime/gate/red_tests.h"
#include "runtime/gate/target_state.h"
#include "runtime/gate/validation_tracker.h"
#include "runtime/gate/validator_state.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/validation/changed_functions.h"
#include "runtime/validation/code_scopes.h"
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

// Not thread-safe. All hashes and verdicts are about files on disk at the moment of the call.
class Gate : public ValidationService {
 public:
  // Takes the baseline snapshot. Errors: the workspace cannot be read.
  static absl::StatusOr<std::unique_ptr<Gate>> Start(GateOptions options);

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
  bool failures_exhausted() const { return tracker_.exhausted(); }
  bool infra_errors_exhausted() const {
    return infra_errors_ >= options_.settings.max_infra_errors;
  }
  int failures() const { return tracker_.failures(); }
  // Of the whole run, those before the last success included.
  int failed_validations() const { return tracker_.failed_validations(); }
  // The newest report, for the last words of a run that the gate ended.
  const std::optional<ValidationReport>& last_report() const { return last_report_; }

  std::vector<Blocker> UnvalidatedTargets();
  // Differences from the start of the run, outputs of validators left out.
  std::vector<FileChange> Changes() const;
  const Snapshot& baseline() const { return baseline_; }
  const Snapshot& current() const { return current_; }
  // Files that validators of this run wrote into the workspace, and what it holds without them.
  const std::set<std::string>& validator_outputs() const { return validator_outputs_; }
  Snapshot WithoutOutputs() const;
  // See WorkspaceMemory.
  const std::vector<std::string>& source_folders() const { return memory_.source_folders; }
  const TargetMap& targets() const { return map_; }
  // Whether the program that would judge the target is there; asked once per run.
  const Toolchain& ToolchainOf(const Target& target);
  const GateSettings& settings() const { return options_.settings; }

  // Puts back the memory of an interrupted run; passes only where the content is the same.
  void Restore(const PastValidations& past);
  // After Restore: validates cold what had passed, since only the process that saw a pass knows
  // what it read. What does not pass now is dirty. Counts as no validation and has no events.
  absl::Status RevalidatePassed();

  // Once, when the run is over: remembers accepted content, or what is still unvalidated.
  absl::Status Close(bool accepted);

  // What the changes weaken; see WeakeningDetector.
  absl::StatusOr<std::vector<Weakening>> Weakenings();

 private:
  explicit Gate(GateOptions options);
  TargetState& StateOf(const TargetKey& key) const { return states_[key]; }
  // See TargetState::at_start; null: none.
  const Target* AtStart(const TargetKey& key) const;
  TargetMap BuildMap(const Snapshot& snapshot) const;
  Snapshot ReferenceSnapshot(bool inherited) const;
  void SetReferences();
  void NoteMissingPackages();
  absl::StatusOr<std::vector<const Target*>> Select(const ValidateArguments& arguments);
  bool Judges(const Target& target, const std::string& language) const;
  std::string NothingToValidate(const std::string& language) const;
  // For a `question` failures leave no trace, and nothing is excused.
  absl::StatusOr<ValidationResult> ValidateTarget(const TargetKey& key, bool force_cold,
                                                  bool question = false);
  struct ValidatorRun {
    ValidationResult result;
    std::optional<Observation> observed;  // nullopt when the kernel does not allow observation
    ReadSet read;
    // Files of `read` that may have changed after the validator read them.
    std::vector<std::string> unsettled;
    bool cold = false;
  };
  // See gate_validator_run.cc.
  absl::StatusOr<ValidatorRun> RunValidator(const Target& target, bool force_cold);
  absl::StatusOr<ProbeReport> ProbeBy(
      const std::vector<std::string>& paths,
      const std::function<absl::StatusOr<ValidationResult>(const Target&)>& ask);
  // Asks the validator of the target with incremental state of the question's own, beside that of
  // the target.
  absl::StatusOr<ValidationResult> AskBeside(
      const Target& target, absl::string_view question,
      const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& ask);
  ValidationRequest RequestFor(const Target& target, const ValidatorState& state,
                               const ValidatorState::Preparation& preparation) const;
  void NoteRead(const Target& target, ReadSet before, absl::Time began, ValidatorRun* run);
  static bool LeftSoundState(const Target& target, const ValidatorRun& run);
  void TakeOutOutputs(const std::vector<FileChange>& changes, const ValidatorRun& run);
  void RecordPass(const Target& target, const ValidationResult& result, ValidatorRun* run);
  absl::Status ConcludeNoPass(const Target& target, ValidationResult* result);
  Json FinishedJson(const Target& target, const ValidationResult& result) const;
  void CountValidation(ValidationReport* report);
  void Summarize(const ValidateArguments& arguments, const std::vector<Target>& targets,
                 ValidationReport* report) const;
  std::optional<std::vector<Diagnostic>> NewSyntaxErrors(const FileRecord& now) const;
  void ApplySyntaxRule(const Target& target, ValidationResult* result);
  bool Observes();  // whether the kernel allows it; runs a command at the first call
  FileStamps StampsOfRead(const Target& target, const ValidatorRun& run,
                          const FileStamps& read_before, absl::Time began) const;
  void NoteOutputs(const Target& target, const Observation& observed);
  void NoteCompiled(const TargetKey& key, const ValidationResult& result, ValidatorRun* run);
  std::set<std::string> FilesOf(const Target& target, const ContentMap& opened,
                                bool with_unseen) const;
  std::optional<std::set<std::string>> CompiledOf(const Target& target) const;
  absl::Status RequireJudgement(const Target& target, ValidationResult* result);
  std::vector<std::string> CompiledChanges(const TargetKey& key) const;
  // Changed code that the last pass claims to cover but that no compiler has opened since.
  std::set<std::string> UncompiledChanges(const Target& target) const;
  bool ShouldAskCold(const Target& target);
  bool ShouldAskAlike(const CoverageGap& gap);
  const ReadSet& ReadBefore(const TargetKey& key) const;
  std::vector<std::string> AppearedFor(const Target& target, const ReadSet& read) const;
  bool IsUnseenChange(const Blocker& open) const;
  std::vector<std::string> ChangedReads(const Target& target) const;
  bool IsInSnapshots(const std::string& path) const;
  bool IsOutput(const std::string& path) const;
  bool IsFound(const std::string& path) const;
  std::string OwnStateDir(const Validator& validator, const Project& project);
  absl::Status RevalidateUnseenChanges();
  bool NeedsColdRun(const Target& target, const ValidatorState::Preparation& preparation) const;
  std::optional<std::string> ChangedJudge(const Target& target, const ValidatorRun& run) const;
  bool IsMentioned(const Target& target, const std::string& path) const;
  // Names the scope of each error. `read` gives the content that was judged.
  void NameScopes(const std::function<absl::StatusOr<std::string>(const std::string& path)>& read,
                  std::vector<Diagnostic>* diagnostics) const;
  absl::Status ApplyBaselineRule(const Target& target, ValidationResult* result);
  std::optional<CoverageQuestion> QuestionOf(const Target& target) const;
  bool AddTestBuilds(const std::vector<CoverageGap>& gaps,
                     std::vector<CoverageQuestion>* questions) const;
  bool BelongsToRemovedTarget(const std::string& path) const;
  absl::StatusOr<std::vector<Blocker>> WeakenedTargets(Judgement* judgement);
  // Of those that block a finish; the others are tolerated.
  std::vector<Blocker> Refused(std::vector<Weakening> weakenings, Judgement* judgement);
  // See gate_planted_failures.cc.
  absl::StatusOr<std::vector<Blocker>> TestsThatCannotFail(Judgement* judgement);
  // Changed code that the passes of this run did not cover. May run validators on copies.
  absl::StatusOr<std::vector<Blocker>> UncoveredTargets(Judgement* judgement);
  Json Evidence() const;
  // Changed files that no validator covers: unknown languages, or no_validator: report.
  std::vector<std::string> UncoveredChanges() const;
  absl::StatusOr<std::vector<Weakening>> AskPlanted(const Target& target);
  void NoteUnknownFailing(const Target& target, absl::string_view why) const;
  // Changed files whose content can weaken something, before the runs and now.
  absl::StatusOr<std::vector<ContentPair>> ChangedContents();
  absl::StatusOr<std::vector<ContentPair>> AllChangedContents() const;
  absl::StatusOr<TestsTakenOut> TakenOutBelow(const std::string& root);
  absl::StatusOr<std::vector<Weakening>> LostTests();
  absl::StatusOr<std::vector<Weakening>> BrokenTests();
  absl::StatusOr<std::vector<Weakening>> AskOldSuite(const Target& target, const OldSuite& suite);
  bool AsksOfOldSuite(const Target& target, const OldSuite& suite,
                      const std::vector<ContentPair>& changes) const;
  absl::StatusOr<const TargetState::ReferenceTests*> TestsBefore(const TargetKey& key);
  absl::Status ApplyReportRule(const Target& target, ValidationResult* result);
  std::vector<Blocker> UnmetTests();
  bool IsInSource(const Target& target, const std::string& text) const;
  // See gate_red_tests.cc.
  absl::StatusOr<std::vector<Blocker>> RedTestsOnChangedCode();
  absl::StatusOr<std::optional<std::string>> AskRedTests(const Target& target);
  void WarnOfRedTests(const Target& target, const std::string& why) const;
  // After tests of the target failed.
  absl::Status NoteRedTests(const Target& target, const ValidationResult& result);
  // Blockers, and what is tolerated and uncovered.
  absl::StatusOr<Judgement> FindBlockers();
  std::vector<std::string> DirtyPaths(const Target& target) const;
  bool IsRefused(const TargetKey& target) const;
  std::map<TargetKey, Verdict> LastingRefusals() const;
  absl::Status NoteNoPass(const TargetKey& target, const ValidationResult& result);
  std::optional<Blocker> BlindSpot(const FileChange& change) const;
  size_t Experiments() const;
  std::optional<Blocker> PatchedPackage(const Target& target) const;
  bool IsInstalledByLock(const std::string& path) const;
  absl::Status SavePending(const std::vector<FileChange>& changes);
  absl::Status SavePending();
  absl::Status AddPending(const std::string& path);
  std::optional<Blocker> VanishedTarget(const Target& before) const;
  std::string WayToPass() const;
  std::string RejectionText(const std::vector<Blocker>& open) const;

  GateOptions options_;
  Environment clean_environment_;
  ScratchContext scratch_;
  SnapshotTaker taker_;
  Snapshot baseline_;           // content at the start of the run
  Snapshot accepted_snapshot_;  // baseline with inherited changes taken back
  Snapshot
      pre_run_snapshot_;  // baseline with the changes of unsuccessful runs taken back, no others
  Snapshot current_;
  TargetMap map_;
  ValidationTracker tracker_;
  WorkspaceMemory memory_;
  std::string memory_file_;
  int infra_errors_ = 0;
  std::set<std::string> validator_outputs_;
  mutable std::map<TargetKey, TargetState> states_;  // made on demand
  std::optional<absl::Status> observation_;          // see Observes
  std::optional<absl::Status> replacement_;          // see OwnStateDir
  mutable std::map<std::string, bool> mentions_;     // see IsMentioned
  // node_modules of projects, where there were none when the run began.
  std::set<std::string> without_packages_;
  std::set<std::string> saved_pending_;  // paths that memory_file_ names already, see SavePending
  std::unique_ptr<CoverageJudge> coverage_;
  RedTests red_tests_;
  std::optional<ValidationReport> last_report_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_H_
