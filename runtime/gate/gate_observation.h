// What validators read and wrote, as the kernel saw it, and which changes that leaves unseen.
#ifndef STILE_RUNTIME_GATE_GATE_OBSERVATION_H_
#define STILE_RUNTIME_GATE_GATE_OBSERVATION_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/gate/gate_state.h"
#include "runtime/gate/gate_validator_run.h"

namespace stile {

// Whether the kernel allows it; runs a command at the first call.
bool Observes(GateState* gate);

// Leaves out the target's inputs, which snapshots compare. Call it while `current` is still the
// snapshot from before the validation.
FileStamps StampsOfRead(const GateState& gate, const Target& target, const ValidatorRun& run,
                        const FileStamps& read_before, absl::Time began);

// Remembers which files the validator wrote and found.
void NoteOutputs(GateState* gate, const Target& target, const Observation& observed);

// Whether validators wrote the file, or all files of the folder that they use. The others of the
// workspace are found there: packages.
bool IsOutputOfValidator(const GateState& gate, const std::string& path);

// Whether validators read the file and did not write it.
bool IsFoundByValidator(const GateState& gate, const std::string& path);

// Where the state of a validator lies when it judges the workspace itself; "" where no sandbox can
// show a copy there.
std::string OwnStateDir(GateState* gate, const Validator& validator, const Project& project);

// Remembers which files a compiler opened in the run, and with which content.
void NoteCompiled(GateState* gate, const TargetKey& key, const ValidationResult& result,
                  ValidatorRun* run);

// Whether a trial copy was compiled otherwise than the workspace, in which the build did not
// compile everything again: its build files may ask for other arguments by now. True once for the
// same content.
bool ShouldAskAlike(GateState* gate, const CoverageGap& gap);

// True once for the same files and content: a cold run does not open files outside the build.
bool ShouldAskCold(GateState* gate, const Target& target);

// The target's code files that a compiler opened with their present content and passed. nullopt
// when opens are not observed or the validator's compilers are not known.
std::optional<std::set<std::string>> CompiledOf(const GateState& gate, const Target& target);

// Turns the pass of a build that judged no code into no_validator. A build that had nothing to do
// again is run once more from nothing, unless it lists what it read.
absl::Status RequireJudgement(GateState* gate, const Target& target, ValidationResult* result);

// The target's code files that have the content noted in `opened`. `with_unseen`: and links to
// files that lie outside of every snapshot.
std::set<std::string> FilesOf(const GateState& gate, const Target& target, const ContentMap& opened,
                              bool with_unseen);

// Files that this run changed and a compiler opened since, for the certificate.
std::vector<std::string> CompiledChanges(const GateState& gate, const TargetKey& key);

// For a target that has not been validated in this run: files that its last validation in an
// earlier run read and that have changed since this run began. Without an earlier validation:
// changed files whose names its code or its build files mention.
std::vector<std::string> ChangedReads(const GateState& gate, const Target& target);

// Files that a build of the target could find in the folders that it listed before they were there:
// code of its language, build files, and files with the extension of one that it has read.
std::vector<std::string> AppearedFor(const GateState& gate, const Target& target,
                                     const ReadSet& read);

// Validates targets again that passed in this run or an earlier one, and of which only files have
// changed that no snapshot holds: outputs of the user's own builds, for example. The model did not
// edit these, so it is not told to validate. Counts as no validation and has no events.
absl::Status RevalidateUnseenChanges(GateState* gate);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_OBSERVATION_H_
