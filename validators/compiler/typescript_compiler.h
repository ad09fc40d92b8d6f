#ifndef STILE_VALIDATORS_COMPILER_TYPESCRIPT_COMPILER_H_
#define STILE_VALIDATORS_COMPILER_TYPESCRIPT_COMPILER_H_

#include <string>
#include <vector>

#include "runtime/validation/validator.h"

namespace stile {

// A TypeScript compiler on this machine.
struct TypeScriptCompiler {
  Toolchain toolchain;  // program: what really compiles (lib/_tsc.js, the native binary)
  std::vector<std::string> command;  // argv so far: {node, tsc.js} or {binary}
  int major = 0;
  bool of_project = false;  // from the project's own node_modules
};

// The compilers for `project` in order of preference: the project's own alone if it has one, else
// those on the PATH, native ones (version 7 on) first. Empty if there is none that could run.
std::vector<TypeScriptCompiler> FindTypeScriptCompilers(const Project& project,
                                                        const Environment& environment,
                                                        ProcessRunner* runner);

// Node.js on the PATH.
Toolchain FindNode(const Environment& environment, ProcessRunner* runner);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_TYPESCRIPT_COMPILER_H_
