// C++: what a class lacks so that there may be objects of it.
#ifndef STILE_TOOLS_FIX_PURE_VIRTUALS_H_
#define STILE_TOOLS_FIX_PURE_VIRTUALS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/codegen/generate.h"
#include "tools/edit/edit_plan.h"

namespace stile {

// Overrides, in the class, of the pure virtual methods that its bases declare and no class between
// overrides. Classes of the project only, templates with their arguments; methods are told apart by
// their names and the types of their parameters, as written. NotFound where none is missing; errors
// as of PlanMethod.
absl::StatusOr<EditPlan> PlanPureVirtuals(const GenerateContext& context,
                                          const std::string& class_name,
                                          const std::string& near_file);

}  // namespace stile

#endif  // STILE_TOOLS_FIX_PURE_VIRTUALS_H_
