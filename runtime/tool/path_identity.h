// The other names of a file in a workspace.
#ifndef STILE_RUNTIME_TOOL_PATH_IDENTITY_H_
#define STILE_RUNTIME_TOOL_PATH_IDENTITY_H_

#include <string>
#include <vector>

namespace stile {

// What `path` (relative to the workspace, or absolute; it need not exist) means once the links in
// it are followed, and, for a file with several hard links, its names in the workspace; relative to
// the workspace where they lie in it. A workspace of very many files is not looked through to its
// end. Nothing when `workspace` is "".
std::vector<std::string> OtherPaths(const std::string& workspace, const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_PATH_IDENTITY_H_
