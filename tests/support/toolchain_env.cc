#include "tests/support/toolchain_env.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/source_folder.h"

extern char** environ;

namespace stile {

std::string ToolchainFolder() { return absl::StrCat(SourceFolder(), "/build/toolchain"); }

std::map<std::string, std::string> TestEnvironment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> variable =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    environment.insert(variable);
  }
  environment["PATH"] = absl::StrCat(ToolchainFolder(), "/node_modules/.bin:", environment["PATH"]);
  return environment;
}

std::map<std::string, std::string> EmptyPathEnvironment() {
  std::map<std::string, std::string> environment = TestEnvironment();
  environment["PATH"] = "/nonexistent";
  return environment;
}

bool HasProgram(absl::string_view program) {
  const std::string path = TestEnvironment()["PATH"];
  for (absl::string_view folder : absl::StrSplit(path, ':')) {
    if (access(absl::StrCat(folder, "/", program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace stile
