#include "validators/test_runner/repeating_validator.h"

#include <utility>

#include "validators/test_runner/test_run.h"

namespace stile {
namespace {

class RepeatingValidator : public Validator {
 public:
  explicit RepeatingValidator(std::unique_ptr<Validator> validator)
      : validator_(std::move(validator)) {}

  const std::string& id() const override { return validator_->id(); }
  Level level() const override { return validator_->level(); }
  bool Applies(const Project& project) const override { return validator_->Applies(project); }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return validator_->Probe(project, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return validator_->Dependencies(project);
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    return WithOneRepeat(request, [&] { return validator_->Validate(request); });
  }

 private:
  const std::unique_ptr<Validator> validator_;
};

}  // namespace

std::unique_ptr<Validator> NewRepeatingValidator(std::unique_ptr<Validator> validator) {
  return std::make_unique<RepeatingValidator>(std::move(validator));
}

}  // namespace stile
