// Folders of a workspace without git that hold source although their names are those of build
// outputs.
#ifndef STILE_RUNTIME_SESSION_SOURCE_FOLDERS_H_
#define STILE_RUNTIME_SESSION_SOURCE_FOLDERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/language/language.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Folders named build, out, dist, target, obj or bin that hold a file of a known language,
// relative, sorted. Left out: folders in which a build tool left its own files (CMakeCache.txt, for
// example), and JavaScript below dist, out or build where a package.json or tsconfig.json lies
// beside the folder and code lies elsewhere. Does not look into other folders that
// DefaultIgnorePatterns names, nor follow links. Errors: the workspace cannot be read.
absl::StatusOr<std::vector<std::string>> FindSourceFolders(const std::string& workspace,
                                                           const LanguageRegistry& languages);

// What is known of a workspace, with its source folders as they are now added to those known before
// and saved in `state_dir` (of the workspace). A workspace below git has none.
absl::StatusOr<WorkspaceMemory> MemoryWithSourceFolders(FileSystem* file_system,
                                                        const std::string& state_dir,
                                                        const std::string& workspace,
                                                        const LanguageRegistry& languages);

// The gitignore pattern that keeps the folder (relative) and its files.
std::string PatternThatKeeps(const std::string& folder);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_SOURCE_FOLDERS_H_
