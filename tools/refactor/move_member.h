// code.refactor pull_up and push_down: a member goes to the base class, a method to the derived
// ones.
#ifndef STILE_TOOLS_REFACTOR_MOVE_MEMBER_H_
#define STILE_TOOLS_REFACTOR_MOVE_MEMBER_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Moves a method or field of a class into the class that it extends: `base`, or the only one if "".
// Java, C#, TypeScript, JavaScript, Python. FailedPrecondition, with the reason, where the program
// could do something else afterwards or the code would not mean the same in the base: it calls
// super, it uses members that the base lacks or names that the base's file does not know, other
// classes below the base have the name, the name is one that a library may call, a class is not of
// the project, or the field is set up at a moment that counts (moved_field.h). InvalidArgument
// where the target is no member of a class, or several.
absl::StatusOr<EditPlan> PlanPullUp(const Resolution& resolution, const std::string& base,
                                    CodeIndex* index);

// Moves a method of a class into each class that directly extends it and has none of that name.
// Java, C#, TypeScript: a compiler has to say that nothing calls it on the base. Errors as above.
absl::StatusOr<EditPlan> PlanPushDown(const Resolution& resolution, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVE_MEMBER_H_
