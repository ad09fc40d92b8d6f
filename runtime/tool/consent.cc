#include "runtime/tool/consent.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"

namespace stile {

absl::Status Consent::CheckCall(const ToolSpec& spec, const Json& arguments,
                                const std::function<bool()>& sandboxed) const {
  const bool is_isolated =
      spec.permission == DefaultPermission::kAllowInSandbox && sandboxed && sandboxed();
  return Apply(DecidePermission(rules, spec, arguments, is_isolated, workspace), spec, spec.name,
               arguments);
}

absl::Status Consent::CheckChanges(const ToolSpec& spec, const std::vector<std::string>& paths,
                                   std::set<std::string>* allowed) const {
  for (const std::string& path : paths) {
    if (allowed->count(path) > 0) continue;
    STILE_RETURN_IF_ERROR(Apply(DecideChange(rules, spec, path, workspace), spec,
                                absl::StrCat(spec.name, " of ", DisplayPath(path)),
                                {{spec.permission_argument, ToUtf8(path)}}));
    allowed->insert(path);
  }
  return absl::OkStatus();
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
