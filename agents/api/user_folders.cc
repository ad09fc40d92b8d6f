#include "agents/api/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::string Lookup(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// $HOME, else what the user database says, as services and containers often set no HOME.
std::string HomeFolder(const Environment& environment) {
  std::string home = Lookup(environment, "HOME");
  if (!home.empty()) return home;
  std::vector<char> buffer(size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? "" : found->pw_dir;
}

// The folder for one kind of files by the XDG rules, where relative values do not count; "" if
// none.
std::string XdgFolder(const Environment& environment, const std::string& variable,
                      absl::string_view below_home) {
  std::string folder = Lookup(environment, variable);
  if (absl::StartsWith(folder, "/")) return folder;
  const std::string home = HomeFolder(environment);
  return absl::StartsWith(home, "/") ? JoinPath(home, below_home) : "";
}

}  // namespace

std::string UserConfigFile(const Environment& environment) {
  const std::string folder = XdgFolder(environment, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? "" : JoinPath(folder, "stile/config.yaml");
}

absl::StatusOr<std::string> StateDir(const Environment& environment) {
  std::string folder = Lookup(environment, "STILE_STATE_DIR");
  if (folder.empty()) {
    folder = XdgFolder(environment, "XDG_STATE_HOME", ".local/state");
    if (!folder.empty()) folder = JoinPath(folder, "stile");
  }
  if (folder.empty()) {
    return absl::InvalidArgumentError("no folder for run states: set STILE_STATE_DIR or HOME");
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(folder, error);
  const auto resolved = std::filesystem::weakly_canonical(absolute, error);
  return (error ? absolute.lexically_normal() : resolved).string();
}

}  // namespace stile
