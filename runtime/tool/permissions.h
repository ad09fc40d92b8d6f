#ifndef STILE_RUNTIME_TOOL_PERMISSIONS_H_
#define STILE_RUNTIME_TOOL_PERMISSIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/tool/permission_rules.h"
#include "runtime/tool/tool.h"

namespace stile {

enum class Permission { kAllow, kAsk, kDeny };

// InvalidArgument naming the first rule that is not of the form above.
absl::Status CheckPermissionRules(const PermissionRules& rules);

// deny, then ask, then allow, then the tool's default.
Permission DecidePermission(const PermissionRules& rules, const ToolSpec& spec,
                            const Json& arguments, bool sandboxed,
                            const std::string& workspace = "");

// Whether a tool that changes several files may change this one, by its path in the workspace.
// Rules for the tool decide, and rules with a pattern for file.write, file.modify or file.delete:
// what must not be done by hand must not be done by meaning either.
Permission DecideChange(const PermissionRules& rules, const ToolSpec& spec, const std::string& path,
                        const std::string& workspace = "");

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_PERMISSIONS_H_
