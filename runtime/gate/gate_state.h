// The state of a gate, and the questions that all of its rules have about it.
#ifndef STILE_RUNTIME_GATE_GATE_STATE_H_
#define STILE_RUNTIME_GATE_GATE_STATE_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/coverage.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/gate_verdict.h"
#include "runtime/gate/red_tests.h"
#include "runtime/gate/target_state.h"
#include "runtime/gate/validation_tracker.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/validation/target_map.h"

namespace stile {

// What a finish is judged by: the workspace before the run and now, its targets, and what
// validations said of them. The functions of gate_*.h work on it.
// One thing: the rules read each other's findings, so each rule would need all parts.
struct GateState {
  explicit GateState(GateOptions gate_options);

  TargetState& StateOf(const TargetKey& key) const { return states[key]; }
  // See TargetState::at_start; null: none.
  const Target* AtStart(const TargetKey& key) const;

  GateOptions options;
  Environment clean_environment;
  ScratchContext scratch;
  SnapshotTaker taker;
  Snapshot baseline;           // content at the start of the run
  Snapshot accepted_snapshot;  // baseline with inherited changes taken back
  // Baseline with the changes of unsuccessful runs taken back, no others.
  Snapshot pre_run_snapshot;
  Snapshot current;
  TargetMap map;
  ValidationTracker tracker;
  WorkspaceMemory memory;
  std::string memory_file;
  int infra_errors = 0;
  std::set<std::string> validator_outputs;
  mutable std::map<TargetKey, TargetState> states;  // made on demand
  std::optional<absl::Status> observation;          // see Observes
  std::optional<absl::Status> replacement;          // see OwnStateDir
  mutable std::map<std::string, bool> mentions;     // see IsMentioned
  // node_modules of projects, where there were none when the run began.
  std::set<std::string> without_packages;
  std::set<std::string> saved_pending;  // paths that memory_file names already, see SavePending
  std::unique_ptr<CoverageJudge> coverage;
  RedTests red_tests;
  std::optional<ValidationReport> last_report;
};

// The targets of a snapshot.
TargetMap BuildMap(const GateState& gate, const Snapshot& snapshot);

// The baseline with what earlier runs left behind taken back, and, with `inherited`, what was not
// committed: content of which no run has to answer for.
Snapshot ReferenceSnapshot(const GateState& gate, bool inherited);

// Records each target at the start of the run, and its reference content.
void SetReferences(GateState* gate);

// Notes which projects have no node_modules yet.
void NoteMissingPackages(GateState* gate);

// Looks at the workspace: what changed since the last look. Tells and remembers it.
absl::StatusOr<std::vector<FileChange>> RefreshWorkspace(GateState* gate);

// Writes down which changes and refusals the run has to answer for, before anything else happens: a
// run that is killed leaves no change behind that the next one does not know.
absl::Status SavePending(GateState* gate);

// Differences from the start of the run, outputs of validators left out.
std::vector<FileChange> ChangesSinceStart(const GateState& gate);

// The workspace as it is now, outputs of validators left out.
Snapshot SnapshotWithoutOutputs(const GateState& gate);

// Whether the program that would judge the target is there; asked once per run.
const Toolchain& ToolchainOf(GateState* gate, const Target& target);

// Inputs that differ from the last pass or the reference. If none does: other files that the
// validator read and that changed.
std::vector<std::string> DirtyPaths(const GateState& gate, const Target& target);

// Whether the target is refused: a validation refused it, and a change of the run is left.
bool IsRefused(const GateState& gate, const TargetKey& target);

// How the targets passed, for the certificate.
Json EvidenceOf(const GateState& gate);

// Remembers that the run has to answer for the file, and keeps its good content.
absl::Status AddPending(GateState* gate, const std::string& path);

// Refusals that the next run in this workspace has to answer for: an infra_error says nothing of
// the code, and what caused it may be over by then.
std::map<TargetKey, Verdict> LastingRefusals(const GateState& gate);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_STATE_H_
