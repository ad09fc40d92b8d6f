// Permission rules applied to calls of tools, with a person who is asked where they say so.
#ifndef STILE_RUNTIME_TOOL_CONSENT_H_
#define STILE_RUNTIME_TOOL_CONSENT_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/tool/permissions.h"

namespace stile {

struct Consent {
  PermissionRules rules;
  bool yes = false;         // "ask" becomes "allow"
  PermissionPrompt on_ask;  // empty: "ask" means deny
  std::string workspace;    // as in DecidePermission
  std::vector<OuterPermissions> outer;

  // PermissionDenied says to the model what to do instead. `sandboxed` as in ToolContext; it is
  // called only for tools whose permission depends on it.
  absl::Status CheckCall(const ToolSpec& spec, const Json& arguments,
                         const std::function<bool()>& sandboxed) const;
  // The same for files that a call changes although its arguments do not name them, by their paths
  // in the workspace. `allowed`: those of this call that were allowed before; it grows.
  absl::Status CheckChanges(const ToolSpec& spec, const std::vector<std::string>& paths,
                            std::set<std::string>* allowed) const;

 private:
  std::string PathBelow(const std::string& folder, const std::string& path) const;
  absl::Status Apply(Permission permission, const ToolSpec& spec, const std::string& what,
                     const Json& arguments) const;
};

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_CONSENT_H_
