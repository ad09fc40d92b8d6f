#include "agents/api/provider_secrets.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/model/provider_keys.h"

namespace stile {

Environment EnvironmentForCommands(const Environment& environment) {
  Environment cleaned = environment;
  cleaned.erase("STILE_CERTIFICATE_KEY");
  cleaned.erase(kMcpSocketVariable);  // of the command in which this program runs
  for (const std::string& name : ProviderKeyVariables()) cleaned.erase(name);
  return cleaned;
}

SecretMasker ProviderSecrets(const Environment& environment) {
  std::vector<SecretMasker::Secret> secrets;
  for (const std::string& name : ProviderKeyVariables()) {
    const auto found = environment.find(name);
    if (found == environment.end()) continue;
    // As it is sent.
    secrets.push_back({name, std::string(absl::StripAsciiWhitespace(found->second))});
  }
  return SecretMasker(secrets);
}

absl::Status CheckRestored(const Json& data) {
  const std::string variables = UnrestoredVariables(data);
  if (variables.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the journal holds a value of ", variables,
                   " masked, and the environment has another value; set it again, or start anew"));
}

}  // namespace stile
