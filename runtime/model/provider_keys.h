// The environment variables that hold the keys of model providers.
#ifndef STILE_RUNTIME_MODEL_PROVIDER_KEYS_H_
#define STILE_RUNTIME_MODEL_PROVIDER_KEYS_H_

#include <string>
#include <vector>

namespace stile {

// Every variable from which a provider's key is read. No command sees them, and their values are
// masked in journals, events and reports. They stand in ProviderPresets.
const std::vector<std::string>& ProviderKeyVariables();

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_KEYS_H_
