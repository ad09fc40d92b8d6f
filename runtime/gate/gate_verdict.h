// What a gate answers, and what it goes on from.
#ifndef STILE_RUNTIME_GATE_GATE_VERDICT_H_
#define STILE_RUNTIME_GATE_GATE_VERDICT_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/validation/target_map.h"

namespace stile {

// A reason why a target keeps the gate shut.
struct Blocker {
  TargetKey key;
  std::string validator;  // "" when none is on offer
  std::string root;
  Level level = Level::kBuild;
  std::vector<std::string> paths;  // what differs
  std::string explanation;         // set when a validation cannot help: what has to be done instead
  // The verdict that refuses the target, whatever differs; see ValidationTracker::refusals.
  std::optional<Verdict> refusal;
  // Whether code.validate can close it although there is an explanation.
  bool validation_helps = false;
};
// One line: why it is open.
std::string ReasonOf(const Blocker& open);

// What an interrupted run has seen of its validations.
struct PastValidations {
  std::map<TargetKey, Json> passes;  // evidence (as validation_finished has it) of the last pass
  std::map<TargetKey, Verdict> refusals;
  std::set<std::string> outputs;  // files that validators added to the workspace
  int failures = 0;               // in a row
  int infra_errors = 0;           // in a row
  int failed_validations = 0;     // of the whole run
};

struct FinishVerdict {
  enum class Kind { kAccepted, kUnchanged, kUngated, kNeedsValidation, kRejected } kind;
  std::string observation;             // for the model, on rejection: files, targets, what to do
  std::vector<std::string> remaining;  // one line per open target
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_VERDICT_H_
