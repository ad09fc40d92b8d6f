// Stubs and declarations that a checker reads in place of a module of the workspace.
#ifndef STILE_VALIDATORS_INTEGRITY_SHADOWING_STUBS_H_
#define STILE_VALIDATORS_INTEGRITY_SHADOWING_STUBS_H_

#include <vector>

#include "runtime/validation/weakening.h"

namespace stile {

// What the changes newly shadow:
//   - a .pyi beside its module, or in a folder of stubs (typings, stubs, *-stubs, and what
//   mypy_path,
//     stubPath and extraPaths name)
//   - a .d.ts beside a .ts, .js or their kin of the same stem
//   - `paths` of tsconfig.json that leads from a module of the workspace to a declaration
// Stubs of modules that are no source of the workspace are none of these. Thread-safe.
std::vector<Weakening> CompareStubs(const std::vector<ContentPair>& changes,
                                    const WorkspaceFiles& files);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_SHADOWING_STUBS_H_
