// A type, a function or a constant into a file of its own.
#ifndef STILE_TOOLS_REFACTOR_MOVE_TYPE_H_
#define STILE_TOOLS_REFACTOR_MOVE_TYPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Moves a type of the top level, or in TypeScript, JavaScript, Python and Go a function, constant
// or variable, with its documentation and (Go) the methods of a type, into the new file
// `destination` (relative to the workspace; "": beside the old one, named as the language has it),
// with the imports that it needs; for Rust see move_rust_type.h. Imports of TypeScript, JavaScript
// and Python that take it by its name follow; the old file hands it on for the others.
// FailedPrecondition, fit for a model, for what cannot be moved; Unimplemented for other languages.
absl::StatusOr<EditPlan> PlanMoveType(const Resolution& resolution, const std::string& destination,
                                      CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVE_TYPE_H_
