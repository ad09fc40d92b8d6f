#ifndef STILE_VALIDATORS_INTEGRITY_STRICT_SETTINGS_H_
#define STILE_VALIDATORS_INTEGRITY_STRICT_SETTINGS_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// What a file asks a compiler or linter to be strict about, each in words that can be compared:
// "-Werror", "lint unsafe_code is forbid", "dotnet_diagnostic.CS8602 is error". What it held with
// one content and not with another was taken out. The other half of LooseSettings, for what is off
// unless somebody asks for it.
std::set<std::string> StrictSettings(absl::string_view path, absl::string_view text);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_STRICT_SETTINGS_H_
