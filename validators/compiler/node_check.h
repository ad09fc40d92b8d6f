#ifndef STILE_VALIDATORS_COMPILER_NODE_CHECK_H_
#define STILE_VALIDATORS_COMPILER_NODE_CHECK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// "node-check": syntax of JavaScript without a tsconfig.json or jsconfig.json that takes it in.
std::unique_ptr<Validator> NewNodeCheckValidator();

// What node says of files (relative to the workspace; .js, .mjs, .cjs).
struct NodeFindings {
  std::vector<Diagnostic> diagnostics;
  int exit_code = 0;
  std::string output;
};
// nullopt: already decided, see run->result().
absl::StatusOr<std::optional<NodeFindings>> CheckWithNode(const ValidationRequest& request,
                                                          const std::string& node,
                                                          const std::vector<std::string>& files,
                                                          ValidationRun* run);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_NODE_CHECK_H_
