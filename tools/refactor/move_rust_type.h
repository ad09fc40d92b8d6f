// A type of Rust into a module of its own.
#ifndef STILE_TOOLS_REFACTOR_MOVE_RUST_TYPE_H_
#define STILE_TOOLS_REFACTOR_MOVE_RUST_TYPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Moves a type of a file's top level, with the impl blocks that stand there too, into a child
// module of that file, which declares it (`mod order;`) and goes on exporting the type under its
// old path (`pub use order::Order;`). The new module begins with `use super::*;`; ApplyPlan takes
// it back where the compiler finds it needless. Who can see what stays as it was: what was private
// to the old module and is used there becomes pub(super), paths through self and super get one step
// longer. `destination` ("": named after the type) has to be where the compiler looks for a child
// module. FailedPrecondition, fit for a model, for what cannot be moved.
absl::StatusOr<EditPlan> PlanMoveRustType(const Declaration& type, const std::string& destination,
                                          CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVE_RUST_TYPE_H_
