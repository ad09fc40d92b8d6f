// Validations that belong to no run.
#ifndef STILE_AGENTS_API_WORKSPACE_VALIDATION_H_
#define STILE_AGENTS_API_WORKSPACE_VALIDATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "runtime/delivery/clean_checkout.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// Judges every target of the workspace, or those that `arguments` name, as it stands. No earlier
// error is excused.
absl::StatusOr<ValidationReport> ValidateWorkspace(const SessionContext& context,
                                                   const std::string& workspace,
                                                   ValidateArguments arguments);

// Judges the changes in a checkout of the content that is to be committed, by the gate of the
// configuration. The report is empty if nothing there has to be validated.
absl::StatusOr<ValidationReport> ValidateCheckout(const SessionContext& context,
                                                  const CleanCheckout& checkout);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKSPACE_VALIDATION_H_
