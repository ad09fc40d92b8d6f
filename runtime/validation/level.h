// What a validation looks at: whether code builds, or whether its tests pass.
#ifndef STILE_RUNTIME_VALIDATION_LEVEL_H_
#define STILE_RUNTIME_VALIDATION_LEVEL_H_

#include "absl/strings/string_view.h"

namespace stile {

enum class Level { kBuild, kTest };
absl::string_view LevelName(Level level);  // "build", "test"

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_LEVEL_H_
