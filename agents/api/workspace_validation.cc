#include "agents/api/workspace_validation.h"

#include <memory>
#include <utility>

#include "runtime/base/status.h"
#include "runtime/session/gated_workspace.h"

namespace stile {
namespace {

absl::StatusOr<std::unique_ptr<GatedWorkspace>> OpenToLook(const SessionContext& context,
                                                           const std::string& workspace,
                                                           const GateSettings& settings) {
  GatedWorkspaceOptions options;
  options.workspace = workspace;
  options.settings = settings;
  options.cancellation = context.options->cancellation;
  return GatedWorkspace::Open(context, std::move(options));
}

}  // namespace

absl::StatusOr<ValidationReport> ValidateWorkspace(const SessionContext& context,
                                                   const std::string& workspace,
                                                   ValidateArguments arguments) {
  GateSettings settings = context.options->config.gate;
  settings.baseline = GateSettings::Baseline::kStrict;  // nothing came before: every error counts
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> gated,
                         OpenToLook(context, workspace, settings));
  arguments.everything = true;
  return gated->gate()->Validate(arguments);
}

absl::StatusOr<ValidationReport> ValidateCheckout(const SessionContext& context,
                                                  const CleanCheckout& checkout) {
  SessionContext own = context;
  own.workspace_dir = checkout.state_dir;
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> tree,
                         OpenToLook(own, checkout.folder, context.options->config.gate));
  // Prose, or code that no validator here can judge: nothing has to pass, whatever would.
  if (tree->gate()->UnvalidatedTargets().empty()) return ValidationReport();
  return tree->gate()->Validate({});
}

}  // namespace stile
