// What the run changed, as content, and what that weakens.
#ifndef STILE_RUNTIME_GATE_GATE_CHANGES_H_
#define STILE_RUNTIME_GATE_GATE_CHANGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/gate_state.h"

namespace stile {

// Changed files whose content can weaken something, before the runs and now.
absl::StatusOr<std::vector<ContentPair>> ChangedContents(GateState* gate);

// Of all regular files, whatever their names. Files whose content was not kept are left out: they
// cannot be put back.
absl::StatusOr<std::vector<ContentPair>> AllChangedContents(const GateState& gate);

// Whether the file is of a target of the start whose code is gone.
bool BelongsToRemovedTarget(const GateState& gate, const std::string& path);

// What the changes weaken; see WeakeningDetector.
absl::StatusOr<std::vector<Weakening>> FindWeakenings(GateState* gate);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_CHANGES_H_
