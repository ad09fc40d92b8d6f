#ifndef STILE_VALIDATORS_INTEGRITY_MSBUILD_PROPERTIES_H_
#define STILE_VALIDATORS_INTEGRITY_MSBUILD_PROPERTIES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Name and value of the properties of a project file that say how warnings are taken, in the order
// of the file; what is commented out is left out.
std::vector<std::pair<std::string, std::string>> MsBuildProperties(absl::string_view text);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_MSBUILD_PROPERTIES_H_
