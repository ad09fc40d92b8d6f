#include "runtime/tool/consent.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kCommandArgument[] = "command";

// The rules without what they allow: that is for the folder in which they stand.
PermissionRules Restricting(const PermissionRules& rules) { return {{"*"}, rules.ask, rules.deny}; }

}  // namespace

absl::Status Consent::CheckCall(const ToolSpec& spec, const Json& arguments,
                                const std::function<bool()>& sandboxed) const {
  const bool is_isolated =
      spec.permission == DefaultPermission::kAllowInSandbox && sandboxed && sandboxed();
  Permission permission = DecidePermission(rules, spec, arguments, is_isolated, workspace);
  for (const OuterPermissions& more : outer) {
    Json moved = arguments;
    const std::string& name = spec.permission_argument;
    if (!name.empty() && name != kCommandArgument) {
      const std::string path = JsonString(arguments, name).value_or(".");
      moved[name] = PathBelow(more.folder, path);
    }
    permission = std::max(permission, DecidePermission(Restricting(more.rules), spec, moved,
                                                       is_isolated, more.folder));
  }
  return Apply(permission, spec, spec.name, arguments);
}

absl::Status Consent::CheckChanges(const ToolSpec& spec, const std::vector<std::string>& paths,
                                   std::set<std::string>* allowed) const {
  for (const std::string& path : paths) {
    if (allowed->count(path) > 0) continue;
    Permission permission = DecideChange(rules, spec, path, workspace);
    for (const OuterPermissions& more : outer) {
      permission = std::max(permission, DecideChange(Restricting(more.rules), spec,
                                                     PathBelow(more.folder, path), more.folder));
    }
    STILE_RETURN_IF_ERROR(Apply(permission, spec,
                                absl::StrCat(spec.name, " of ", DisplayPath(path)),
                                {{spec.permission_argument, ToUtf8(path)}}));
    allowed->insert(path);
  }
  return absl::OkStatus();
}

// A path of the workspace, as seen from a folder that holds it.
std::string Consent::PathBelow(const std::string& folder, const std::string& path) const {
  const std::string absolute = absl::StartsWith(path, "/") ? path : JoinPath(workspace, path);
  return absolute == folder ? "." : std::string(absl::StripPrefix(absolute, folder + "/"));
}

absl::Status Consent::Apply(Permission permission, const ToolSpec& spec, const std::string& what,
                            const Json& arguments) const {
  if (permission == Permission::kAllow) return absl::OkStatus();
  if (permission == Permission::kDeny) {
    return absl::PermissionDeniedError(
        absl::StrCat("Permission denied: ", what,
                     " is forbidden by the permissions of this run. Do without it."));
  }
  if (yes) return absl::OkStatus();
  if (!on_ask) {
    return absl::PermissionDeniedError(absl::StrCat(
        "Permission denied: ", what,
        " needs the user's consent (--yes, or permissions: allow: in stile.yaml), and this run "
        "cannot ask. Do without it."));
  }
  if (on_ask(spec, arguments)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("The user declined ", what, ". Do without it, or finish."));
}

}  // namespace stile
