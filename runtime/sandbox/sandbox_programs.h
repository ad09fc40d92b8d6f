// Programs that PATH names in folders which a sandbox hides: what of these folders it has to show.
#ifndef STILE_RUNTIME_SANDBOX_SANDBOX_PROGRAMS_H_
#define STILE_RUNTIME_SANDBOX_SANDBOX_PROGRAMS_H_

#include <string>
#include <vector>

#include "runtime/sandbox/sandboxed_runner.h"

namespace stile {

struct ProgramPlaces {
  std::string workspace;                   // absolute, free of symlinks
  std::vector<std::string> private_paths;  // never shown: Stile's state and settings, secret files
  Environment environment;                 // HOME and PATH count
};

// Adds to `policy->read_only` and `policy->shown` each folder of the PATH that lies in a hidden or
// replaced place, what its links resolve to, and the root that its programs need: a whole
// node_modules, virtual environment or toolchain (a folder with bin/ and lib/), the root of a
// version manager's shims, of an npm package its package.json, its code and its node_modules. Never
// a home, a folder that holds secrets, or one around the workspace. Of the workspace's own PATH
// folders only the Python that a virtual environment is made of is added, because commands write
// there.
void ShowPrograms(const ProgramPlaces& places, SandboxPolicy* policy);

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOX_PROGRAMS_H_
