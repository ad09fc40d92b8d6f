#ifndef STILE_VALIDATORS_INTEGRITY_LOOSE_SETTINGS_H_
#define STILE_VALIDATORS_INTEGRITY_LOOSE_SETTINGS_H_

#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// In what respects a settings file of a checker, compiler or test runner is not strict, each in
// words that can be compared: "strict is not on", "[mypy] ignore_errors is on", "NoWarn has
// CS8602". What it holds with one content and not with another was loosened. Empty for files that
// are no such settings. `text` "" stands for a file that is not there: the defaults.
std::set<std::string> LooseSettings(absl::string_view path, absl::string_view text);

// Whether LooseSettings or StrictSettings may find something in a file of this name, whose name
// does not make it part of a build.
bool MayHoldSettings(absl::string_view path);

// Whether a fact only says what is set, not that it is looser than the default: it counts where a
// file held something else before.
bool IsOnlyADifference(absl::string_view fact);

// The base that a file has, if that is what the fact tells: "./tsconfig.base.json".
std::optional<std::string> BaseOf(absl::string_view fact);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_LOOSE_SETTINGS_H_
