// Validation of a commit, before it is made, in a working tree that holds nothing else.
#ifndef STILE_RUNTIME_DELIVERY_CLEAN_CHECKOUT_H_
#define STILE_RUNTIME_DELIVERY_CLEAN_CHECKOUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/git/repository.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// Where a commit is judged before it is made. All of it goes when that is done.
struct CleanCheckout {
  std::string folder;        // the workspace, in a working tree of its own
  std::string dependencies;  // the workspace whose ignored files (installed packages) it may use
  std::string state_dir;     // for what validators and sandboxes keep; may not exist yet
};

class CheckoutValidator {
 public:
  virtual ~CheckoutValidator() = default;
  // Validates what differs from HEAD. As for a gate, `remaining` decides, not the verdict.
  virtual absl::StatusOr<ValidationReport> ValidateTree(const CleanCheckout& checkout) = 0;
};

// Whether exactly what is about to be committed passes: a checkout of `tree` on top of HEAD, which
// holds nothing else that lies about in the working tree, is made below `scratch_dir`, validated in
// its folder `prefix`, and removed. "" when it passes; else why not, for people. Errors: git, the
// disk, or a cancellation. There has to be a HEAD: git makes no working tree of nothing.
absl::StatusOr<std::string> ValidateCleanCheckout(const Repository& repository,
                                                  const std::string& prefix,
                                                  const std::string& tree,
                                                  const std::string& scratch_dir,
                                                  CheckoutValidator* validator);

}  // namespace stile

#endif  // STILE_RUNTIME_DELIVERY_CLEAN_CHECKOUT_H_
