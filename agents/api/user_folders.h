// Where the user's configuration and the state of runs are kept.
#ifndef STILE_AGENTS_API_USER_FOLDERS_H_
#define STILE_AGENTS_API_USER_FOLDERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/process/process_runner.h"

namespace stile {

// $XDG_CONFIG_HOME/stile/config.yaml, else ~/.config/stile/config.yaml; "" without a home.
std::string UserConfigFile(const Environment& environment);

// The folder of RunStore: $STILE_STATE_DIR, else $XDG_STATE_HOME/stile, else ~/.local/state/stile;
// absolute, and free of symlinks as far as it exists. InvalidArgument where none of them is set.
absl::StatusOr<std::string> StateDir(const Environment& environment);

}  // namespace stile

#endif  // STILE_AGENTS_API_USER_FOLDERS_H_
