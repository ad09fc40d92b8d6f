// Methods that a type has twice under one name: by itself, and through a trait (Rust).
#ifndef STILE_TOOLS_REFACTOR_TWIN_METHODS_H_
#define STILE_TOOLS_REFACTOR_TWIN_METHODS_H_

#include <string>
#include <vector>

#include "tools/refactor/rename_plan.h"

namespace stile {

// Why a rename of the method cannot be judged: the compiler accepts a call under either name, and
// which of the two methods runs depends on a receiver that no syntax tree knows. "" if no type has
// both, or each call shows which one it means. `candidates` are those of a plan without a resolver.
// https://doc.rust-lang.org/reference/expressions/method-call-expr.html
std::string UndecidedCalls(const Resolution& symbol,
                           const std::vector<RenameCandidate>& candidates);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_TWIN_METHODS_H_
