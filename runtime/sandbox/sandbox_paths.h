// Paths of a sandbox's policy: reading them from the environment, and which rule holds for one.
#ifndef STILE_RUNTIME_SANDBOX_SANDBOX_PATHS_H_
#define STILE_RUNTIME_SANDBOX_SANDBOX_PATHS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/sandbox/sandboxed_runner.h"

namespace stile {

// The value of a variable; "" when it is not set.
std::string Variable(const Environment& environment, const std::string& name);

// The real path of something that exists; "" otherwise, and for relative paths and the root.
std::string Existing(const std::string& path);

// "~/x" or "$NAME/x" → the real path; "" when there is none.
std::string Expand(const std::string& path, const Environment& environment);

// Appends `path` unless it is empty or already in the list.
void AddPath(const std::string& path, std::vector<std::string>* list);

enum class Access { kNone, kRead, kWrite };  // kNone: hidden, or something else stands there

// What a program inside may do at `path`, by the deepest rule. `path` is absolute, clean and free
// of symlinks, and need not exist.
Access AccessInside(const std::string& path, const SandboxPolicy& policy);
// Whether the host's own content at `path` can be read inside.
bool IsShown(const std::string& path, const SandboxPolicy& policy);

// Whether a part of the path has a name under which programs keep keys and passwords (.ssh, .aws).
bool IsSecretPath(absl::string_view path);
// Whether a folder directly holds a file or folder of such a name, or a repository.
bool HoldsSecrets(const std::string& folder);

// Names of a home that hold secrets.
const std::vector<std::string>& HomeSecrets();

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOX_PATHS_H_
