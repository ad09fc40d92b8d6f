#include "validators/compiler/cold_retry.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "validators/compiler/command_run.h"

namespace stile {

absl::StatusOr<ValidationResult> WithColdRetry(
    const ValidationRequest& request,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& validate) {
  const auto names = ListDirectory(request.state_dir);
  const bool had_state = names.ok() && !names->empty();
  ValidationRequest first = request;
  if (!had_state) first.cold = true;
  if (first.cold && had_state) STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
  STILE_ASSIGN_OR_RETURN(ValidationResult result, validate(first));
  if (first.cold || result.verdict != Verdict::kInfraError) return result;

  STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
  ValidationRequest again = request;
  again.cold = true;
  again.timeout = request.timeout - result.duration;
  STILE_ASSIGN_OR_RETURN(ValidationResult second, validate(again));
  second.duration += result.duration;
  return second;
}

}  // namespace stile
