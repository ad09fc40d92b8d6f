#include "validators/compiler/tool_validator.h"

#include "validators/compiler/cold_retry.h"

namespace stile {

absl::StatusOr<ValidationResult> ToolValidator::Validate(const ValidationRequest& request) const {
  const Toolchain found = Probe(*request.project, request.environment, request.runner);
  const auto judge = [&](const ValidationRequest& attempt) -> absl::StatusOr<ValidationResult> {
    // A program that failed to say its version is asked again.
    const bool is_known = !found.available || SaysItsVersion(found);
    ValidationRun run(
        attempt, is_known ? found : Probe(*attempt.project, attempt.environment, attempt.runner));
    if (auto unusable = run.Unusable()) return *std::move(unusable);
    return Judge(attempt, &run);
  };
  if (state_ == State::kTrusted) return judge(request);
  return WithColdRetry(request, StateTools(request, found), judge);
}

std::vector<Toolchain> ToolValidator::StateTools(const ValidationRequest&,
                                                 const Toolchain& found) const {
  return {found};
}

}  // namespace stile
