#ifndef STILE_RUNTIME_TOOL_ARGUMENT_REPAIR_H_
#define STILE_RUNTIME_TOOL_ARGUMENT_REPAIR_H_

#include <string>
#include <vector>

#include "runtime/tool/tool.h"

namespace stile {

// Puts right the usual slips of models: arguments wrapped in another object or given as text, other
// names for an argument (ToolSpec::argument_aliases, snake_case, case), "3" for 3, "true" for true,
// an array or object as text, one item for a list, null for "not given", an enum value in another
// case. What it does not understand stays as it is, for the schema to refuse.
Json RepairArguments(const ToolSpec& spec, Json arguments);

// What is wrong with arguments that do not fit the schema, in words for the model, and which
// arguments there are: "missing argument 'path'; unknown argument 'foo'. Arguments: path (string),
// …". `violations` are the schema's own words, used where nothing better can be said.
std::string ExplainArguments(const ToolSpec& spec, const Json& arguments,
                             const std::vector<std::string>& violations);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_ARGUMENT_REPAIR_H_
