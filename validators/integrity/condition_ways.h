// What to set so that a condition holds.
#ifndef STILE_VALIDATORS_INTEGRITY_CONDITION_WAYS_H_
#define STILE_VALIDATORS_INTEGRITY_CONDITION_WAYS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/build_switch.h"

namespace stile {

// Sets of switches under which all of the conditions hold, if the system agrees: at most three,
// small ones first, those that set what belongs to the compiler or the system
// (BuildSwitch::is_of_system) last; none where nothing makes them hold, or where they cannot be
// read.

// Expressions of #if: "defined(FAST) && LEVEL > 2", without comments.
std::vector<BuildSwitches> WaysOfMacros(const std::vector<std::string>& conditions);

// Predicates of #[cfg(…)]: "all(unix, feature = \"fast\")".
std::vector<BuildSwitches> WaysOfCfg(const std::vector<std::string>& predicates);

// The expression behind "//go:build": "extra && !slim".
std::vector<BuildSwitches> WaysOfGoConstraint(const std::string& constraint);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CONDITION_WAYS_H_
