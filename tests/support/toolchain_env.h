#ifndef STILE_TESTS_SUPPORT_TOOLCHAIN_ENV_H_
#define STILE_TESTS_SUPPORT_TOOLCHAIN_ENV_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// Where scripts/setup installs the pinned npm packages that tests need: build/toolchain.
std::string ToolchainFolder();

// The inherited environment with the programs of the toolchain folder first on the PATH.
std::map<std::string, std::string> TestEnvironment();

// The environment without any program: PATH names an empty folder.
std::map<std::string, std::string> EmptyPathEnvironment();

// Whether `program` can be found on the PATH of TestEnvironment.
bool HasProgram(absl::string_view program);

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_TOOLCHAIN_ENV_H_
