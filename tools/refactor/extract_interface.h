#ifndef STILE_TOOLS_REFACTOR_EXTRACT_INTERFACE_H_
#define STILE_TOOLS_REFACTOR_EXTRACT_INTERFACE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/refactor/generate.h"

namespace stile {

// An interface (a Protocol in Python) with the public members of a type, which then says that it
// has it: beside the type in C# and Java, above it elsewhere. C#, TypeScript, Java, Go and Python;
// Unimplemented for others. `path` is where the type is declared, "" for anywhere. The errors speak
// to a model.
absl::StatusOr<EditPlan> PlanExtractInterface(const GenerateContext& context,
                                              const std::string& path, const std::string& type_name,
                                              const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_EXTRACT_INTERFACE_H_
