#ifndef STILE_RUNTIME_GATE_CLEAN_ENVIRONMENT_H_
#define STILE_RUNTIME_GATE_CLEAN_ENVIRONMENT_H_

#include "runtime/process/process_runner.h"

namespace stile {

// The environment of validators, made from `inherited` by a list of what may pass: where programs,
// homes, caches and certificates are. Switches that could change a verdict (GOFLAGS, NODE_OPTIONS,
// MYPYPATH, RUSTC_WRAPPER, CFLAGS, MAKEFLAGS, PYTHONPATH, JAVA_TOOL_OPTIONS, …) do not. The locale
// is C.UTF-8, so that compilers speak the language their parsers read. Compiler caches are off. All
// validations have the same variables, so that no build can tell by them what it is run for.
Environment CleanEnvironment(const Environment& inherited);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_CLEAN_ENVIRONMENT_H_
