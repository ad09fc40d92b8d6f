// By toml++, https://marzer.github.io/tomlplusplus/, whose exceptions end here.
#include "tools/refactor/crate_name.h"

#include <toml++/toml.h>

#include <string_view>

#include "absl/strings/str_replace.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"

namespace stile {
namespace {

constexpr size_t kMaxManifestBytes = size_t{1} << 20;

std::string NameIn(const std::string& manifest) {
  try {
    const toml::table parsed = toml::parse(std::string_view(manifest));
    const std::string package = parsed["package"]["name"].value_or(std::string());
    return parsed["lib"]["name"].value_or(package);
  } catch (const toml::parse_error&) {
    return "";
  }
}

}  // namespace

std::string CrateOf(const std::string& workspace, const std::string& path) {
  for (std::string folder = DirName(path);; folder = DirName(folder)) {
    std::string manifest;
    const std::string file = JoinPath(JoinPath(workspace, folder), "Cargo.toml");
    if (ReadRegularFile(file, kMaxManifestBytes, &manifest)) {
      const std::string name = NameIn(manifest);
      if (!name.empty()) return absl::StrReplaceAll(name, {{"-", "_"}});
    }
    if (folder.empty() || folder == "." || folder == "/") return "";
  }
}

}  // namespace stile
