// The name of a crate of Rust.
#ifndef STILE_TOOLS_REFACTOR_CRATE_NAME_H_
#define STILE_TOOLS_REFACTOR_CRATE_NAME_H_

#include <string>

namespace stile {

// The name by which other code imports what the file declares, from the nearest Cargo.toml above
// it: that of its library, or of its package, with `_` for `-`. `path` is relative to the
// workspace. "" where no manifest tells.
std::string CrateOf(const std::string& workspace, const std::string& path);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_CRATE_NAME_H_
