#include "runtime/model/provider_keys.h"

#include <algorithm>

#include "runtime/model/provider_endpoint.h"

namespace stile {

const std::vector<std::string>& ProviderKeyVariables() {
  static const auto* const variables = [] {
    auto* names = new std::vector<std::string>;
    for (const ProviderPreset& preset : ProviderPresets()) {
      for (const absl::string_view variable : preset.key_variables) names->emplace_back(variable);
    }
    std::sort(names->begin(), names->end());
    return names;
  }();
  return *variables;
}

}  // namespace stile
