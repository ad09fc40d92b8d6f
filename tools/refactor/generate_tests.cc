#include "tools/refactor/code_site.h"

namespace stile {

absl::StatusOr<Generated> PlanTests(const GenerateContext&, const GenerateRequest& request) {
  return NotAvailable(request.operation, request.file);
}
absl::StatusOr<Generated> PlanImplementInterface(const GenerateContext&,
                                                 const GenerateRequest& request) {
  return NotAvailable(request.operation, request.file);
}

}  // namespace stile
