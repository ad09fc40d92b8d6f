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
#include "runtime/validation/weakening.h"

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
// The same with the name of the target: "api (go-build): order.go".
std::string LineOf(const Blocker& open);

// What an interrupted run has seen of its validations.
struct PastValidations {
  std::map<TargetKey, Json> passes;  // evidence (as validation_finished has it) of the last pass
  std::map<TargetKey, Verdict> refusals;
  std::set<std::string> outputs;  // files that validators added to the workspace
  int failures = 0;               // in a row
  int infra_errors = 0;           // in a row
  int failed_validations = 0;     // of the whole run
};

// The judgement on a finish: the executor, the certificate and printed texts are made from it.
struct Judgement {
  enum class Kind { kAccepted, kUnchanged, kUngated, kNeedsValidation, kRejected };
  Kind kind = Kind::kRejected;
  std::vector<Blocker> blockers;
  std::vector<std::string> remaining;  // one line for each blocker
  std::string observation;             // kRejected, for the model: files, targets, what to do
  // Of an accepted finish:
  std::vector<Weakening> tolerated;    // weakenings that do not block it
  std::vector<std::string> uncovered;  // changed files that no validator covers, and is not to
  Json evidence;  // one entry per target that passed, with verdict, command, toolchain
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_VERDICT_H_
