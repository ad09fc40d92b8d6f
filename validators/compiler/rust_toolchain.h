// What cargo-check, cargo-test and rustc share: the real programs behind rustup's shims, and an
// environment in which nothing inherited or configured stands between cargo and rustc.
#ifndef STILE_VALIDATORS_COMPILER_RUST_TOOLCHAIN_H_
#define STILE_VALIDATORS_COMPILER_RUST_TOOLCHAIN_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

// `name` is "cargo" or "rustc". The shim's choice depends on the project (rust-toolchain.toml).
Toolchain FindRustProgram(const std::string& name, const Project& project,
                          const Environment& environment, ProcessRunner* runner);

// `arguments` to cargo, with its outputs in `target_dir`.
Command CargoCommand(const Toolchain& cargo, const std::vector<std::string>& arguments,
                     const std::string& target_dir);

// The absolute root of the cargo workspace that the project belongs to: the folder that rustc's
// paths are relative to. The project's own folder where the files do not say otherwise.
std::string CargoWorkspaceRoot(const Project& project);

// Folders (relative to the workspace) of the packages that the manifests name: path dependencies
// and members of the project's own manifest, and the workspace's root for a member. Existing ones
// inside the workspace only.
std::vector<std::string> CargoDependencies(const Project& project);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_RUST_TOOLCHAIN_H_
