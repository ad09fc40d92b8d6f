#include "runtime/model/provider_keys.h"

#include <algorithm>

#include "runtime/model/provider_endpoint.h"

namespace stile {

const std::vector<std::string>& ProviderKeyVariables() {
  static const auto* const variables = [] {
    auto* names = new std::vector<std::string>;
    for (const ProviderPreset& preset : ProviderPresets()) {
      names->insert(names->end(), preset.key_variables.begin(), preset.key_variables.end());
    }
    std::sort(names->begin(), names->end());
    return names;
  }();
  return *variables;
}

}  // namespace stile
