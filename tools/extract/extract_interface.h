#ifndef STILE_TOOLS_EXTRACT_EXTRACT_INTERFACE_H_
#define STILE_TOOLS_EXTRACT_EXTRACT_INTERFACE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "tools/codegen/generate.h"

namespace stile {

// The type of the member whose name begins there, or what it returns, where none is written; "":
// not known.
using InferredType = std::function<std::string(const std::string& path, uint32_t name_begin)>;

// An interface (a Protocol in Python) with the public members of a type, which then says that it
// has it: beside the type in C# and Java, above it elsewhere. C#, TypeScript, Java, Go and Python;
// Unimplemented for others. `path` is where the type is declared, "" for anywhere. The errors speak
// to a model. `inferred` may be empty; FailedPrecondition where a member of TypeScript has
// no type then.
absl::StatusOr<EditPlan> PlanExtractInterface(const GenerateContext& context,
                                              const std::string& path, const std::string& type_name,
                                              const std::string& new_name,
                                              const InferredType& inferred);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_EXTRACT_INTERFACE_H_
