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

// Whether code that calls the member under its old name may compile after a rename, and mean
// another one: a type or a trait of the project has one of the name, or the member's type gives
// those of another type by `Deref`.
bool MayReachTwin(const Resolution& symbol, CodeIndex* index);

// Where an example of documentation calls a member by the new name that its type has by `Deref`,
// and would get the renamed one: "src/lib.rs:5"; "" where none does.
// https://doc.rust-lang.org/std/ops/trait.Deref.html
std::string CapturedExample(const Resolution& symbol, const std::string& new_name,
                            CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_TWIN_METHODS_H_
