// What keeps a field from moving to the class that its class extends.
#ifndef STILE_TOOLS_REFACTOR_MOVED_FIELD_H_
#define STILE_TOOLS_REFACTOR_MOVED_FIELD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/refactor/member_checks.h"

namespace stile {

// The first byte behind the declaration of a field, a semicolon included.
uint32_t EndOfField(const SourceFile& file, const Symbol& field);

// Whether a line that has no semicolon before `behind` would go on there, in JavaScript.
bool GoesOn(absl::string_view behind);

// The reason for which the field cannot move from `owner` to a class that it extends; "": it can.
// `above`: `owner`, and all types that it extends; `below`: all classes below the base. Java, C#,
// TypeScript, JavaScript, Python. The field has to be declared alone in the body of its class, with
// a constant, an empty list of JavaScript, or nothing as its value. Where the base sets its fields
// up before those of `owner`, nothing that runs meanwhile may call a method, which could see the
// field.
absl::StatusOr<std::string> WhyFieldStays(const ClassSite& owner, const Symbol& field,
                                          const std::vector<ClassSite>& above,
                                          const std::vector<ClassSite>& below);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVED_FIELD_H_
