// The base class of validators that run an installed program.
#ifndef STILE_VALIDATORS_COMPILER_TOOL_VALIDATOR_H_
#define STILE_VALIDATORS_COMPILER_TOOL_VALIDATOR_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// Finds the program and says what is wrong with it (see ValidationRun::Unusable) before the derived
// class judges.
class ToolValidator : public Validator {
 public:
  const std::string& id() const final { return id_; }
  Level level() const final { return level_; }
  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::nullopt;
  }
  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const final;

 protected:
  // kRetriedCold: an infra_error may come from incremental state, so that the validation is
  // repeated without it, see WithColdRetry. kTrusted: it is not; the class looks after its state by
  // itself.
  enum class State { kTrusted, kRetriedCold };

  ToolValidator(std::string id, Level level, State state = State::kTrusted)
      : id_(std::move(id)), level_(level), state_(state) {}

  // One validation. `run` has the program; both arguments are valid during the call.
  virtual absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                                 ValidationRun* run) const = 0;
  // With kRetriedCold: the programs that fill the state. `found`: what Probe found.
  virtual std::vector<Toolchain> StateTools(const ValidationRequest& request,
                                            const Toolchain& found) const;

 private:
  const std::string id_;
  const Level level_;
  const State state_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TOOL_VALIDATOR_H_
