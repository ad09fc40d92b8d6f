// A validator around another one, which answers all that the outer one leaves to it.
#ifndef STILE_VALIDATORS_COMPILER_WRAPPED_VALIDATOR_H_
#define STILE_VALIDATORS_COMPILER_WRAPPED_VALIDATOR_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/validation/validator.h"

namespace stile {

class WrappedValidator : public Validator {
 public:
  explicit WrappedValidator(std::unique_ptr<Validator> inner) : inner_(std::move(inner)) {}

  const std::string& id() const override { return inner_->id(); }
  Level level() const override { return inner_->level(); }
  bool Applies(const Project& project) const override { return inner_->Applies(project); }
  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return inner_->Probe(project, environment, runner);
  }
  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return inner_->Dependencies(project);
  }
  std::vector<std::string> compilers() const override { return inner_->compilers(); }
  std::vector<JudgingFile> scripts(const Project& project) const override {
    return inner_->scripts(project);
  }
  bool Sets(BuildSwitch::Kind kind) const override { return inner_->Sets(kind); }
  CanaryKind canary() const override { return inner_->canary(); }
  bool judges_single_files() const override { return inner_->judges_single_files(); }
  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    return inner_->Validate(request);
  }
  absl::StatusOr<ValidationResult> CheckExamples(
      const ValidationRequest& request, const std::vector<DocExample>& examples) const override {
    return inner_->CheckExamples(request, examples);
  }

 protected:
  const Validator& inner() const { return *inner_; }

 private:
  const std::unique_ptr<Validator> inner_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_WRAPPED_VALIDATOR_H_
