// What builds say of the files they read, in formats that several validators meet.
#ifndef STILE_VALIDATORS_COMPILER_FILES_READ_H_
#define STILE_VALIDATORS_COMPILER_FILES_READ_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// The files that a make rule "target: a b\" lists, as written.
std::vector<std::string> ParseDepfile(absl::string_view text);

// The files of the workspace behind the artifacts that `cargo --message-format=json` names: rustc
// leaves a depfile beside each. Relative, sorted; nullopt when one of them is missing. `root`: of
// the cargo workspace, which the paths in depfiles are relative to.
std::optional<std::vector<std::string>> FilesReadByCargo(absl::string_view output,
                                                         const std::string& root,
                                                         const std::string& workspace);

// The files of the workspace that `ninja -t deps`, run in `build`, lists, relative and sorted. An
// object that is older than one of its files was not built from it (its target is not built any
// more): such a file does not count.
std::vector<std::string> FilesReadByNinja(absl::string_view output, const std::string& build,
                                          const std::string& workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_FILES_READ_H_
