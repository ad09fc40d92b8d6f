#ifndef STILE_VALIDATORS_COMPILER_TYPESCRIPT_GRAPH_H_
#define STILE_VALIDATORS_COMPILER_TYPESCRIPT_GRAPH_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/validator.h"

namespace stile {

// Folders of the workspace that the project with configuration `file` is built with: projects it
// refers to, folders of the configurations it extends, workspace packages it depends on. nullopt
// where its settings do not keep it from reading other files (neither composite nor rootDir), or a
// package cannot be found.
std::optional<std::vector<std::string>> TypeScriptDependencies(const Project& project,
                                                               const std::string& file);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TYPESCRIPT_GRAPH_H_
