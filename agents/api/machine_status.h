// Which validators, language servers and sandbox this machine has.
#ifndef STILE_AGENTS_API_MACHINE_STATUS_H_
#define STILE_AGENTS_API_MACHINE_STATUS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/language_status.h"
#include "agents/api/session_context.h"
#include "runtime/language/language.h"
#include "runtime/process/process_runner.h"

namespace stile {

// For Agent::Languages: asks each validator for its program, in `workspace`.
std::vector<LanguageStatus> ListLanguages(const LanguageRegistry& languages,
                                          const std::string& only,
                                          const ValidatorRegistry& validators,
                                          const std::string& workspace,
                                          const Environment& environment, ProcessRunner* runner);

// For Agent::Sandbox.
absl::StatusOr<Agent::SandboxStatus> DescribeSandbox(const SessionContext& context,
                                                     const std::string& workspace);

// For Agent::Resolvers.
std::vector<Agent::ResolverStatus> ListResolvers(const std::string& workspace,
                                                 const Environment& environment);

}  // namespace stile

#endif  // STILE_AGENTS_API_MACHINE_STATUS_H_
