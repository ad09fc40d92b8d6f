// Inputs of the workflows that come with Stile, for the doors that start them.
#ifndef STILE_AGENTS_API_PIPELINE_INPUTS_H_
#define STILE_AGENTS_API_PIPELINE_INPUTS_H_

#include "absl/status/statusor.h"
#include "runtime/base/json.h"

namespace stile {

inline constexpr char kAppWorkflow[] = "builtin:app-loop";
inline constexpr char kCycleWorkflow[] = "builtin:cycle";
inline constexpr char kPlanWorkflow[] = "builtin:story-plan";

// JSON Schemas of the inputs: an object each, with descriptions and defaults.
const Json& AppInputSchema();
const Json& CycleInputSchema();

// The inputs of kAppWorkflow: `given`, which fits AppInputSchema, completed with defaults.
// `references` of the form SERVER:URI become `resources`; `mcp` holds the tools and resources of
// MCP servers that the commands and references name. InvalidArgument begins with the input that
// cannot be used, such as a path outside of the workspace.
absl::StatusOr<Json> AppInputs(const Json& given);
// The same of kCycleWorkflow.
absl::StatusOr<Json> CycleInputs(const Json& given);

}  // namespace stile

#endif  // STILE_AGENTS_API_PIPELINE_INPUTS_H_
