// The keys of model providers: hidden from commands, masked in what is kept or shown.
#ifndef STILE_AGENTS_API_PROVIDER_SECRETS_H_
#define STILE_AGENTS_API_PROVIDER_SECRETS_H_

#include "absl/status/status.h"
#include "runtime/base/secret_masker.h"
#include "runtime/process/process_runner.h"

namespace stile {

// The variable of a command that holds the path of the socket of its McpRelay (mcp_relay.h).
inline constexpr char kMcpSocketVariable[] = "STILE_MCP_SOCKET";

// Without the keys of providers and of certificates, which no command may see.
Environment EnvironmentForCommands(const Environment& environment);

// Masks the values that ProviderKeyVariables have in `environment`.
SecretMasker ProviderSecrets(const Environment& environment);

// For readers that cannot go on with a mask in place of a value. FailedPrecondition names the
// variables to set.
absl::Status CheckRestored(const Json& data);

}  // namespace stile

#endif  // STILE_AGENTS_API_PROVIDER_SECRETS_H_
