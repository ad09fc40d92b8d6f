// Errors of syntax in changed files that no compiler reported.
#ifndef STILE_RUNTIME_GATE_GATE_SYNTAX_H_
#define STILE_RUNTIME_GATE_GATE_SYNTAX_H_

#include "runtime/gate/gate_state.h"

namespace stile {

// Turns a no_validator into what the syntax of the changed files says: fail, if one has new errors,
// or syntax_only, if all of them could be checked.
void ApplySyntaxRule(GateState* gate, const Target& target, ValidationResult* result);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_SYNTAX_H_
