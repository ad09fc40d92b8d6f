#include "tools/refactor/go_modules.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

bool IsTop(const std::string& folder) { return folder.empty() || folder == "." || folder == "/"; }

}  // namespace

const GoModules::Module& GoModules::ModuleOf(const std::string& path) {
  const std::string start = DirName(path);
  const auto [known, is_new] = modules_.try_emplace(start);
  Module& module = known->second;
  if (!is_new) return module;
  for (std::string folder = start;; folder = DirName(folder)) {
    const std::string file = JoinPath(JoinPath(workspace_, folder), "go.mod");
    if (ReadRegularFile(file, kMaxFileBytes, &module.text)) {
      module.folder = folder;
      for (absl::string_view line : SplitLines(module.text)) {
        if (absl::ConsumePrefix(&line, "module "))
          module.path = std::string(absl::StripAsciiWhitespace(line));
      }
      return module;
    }
    if (IsTop(folder)) return module;
  }
}

bool GoModules::HasWorkFile(const std::string& path) {
  for (std::string folder = DirName(path);; folder = DirName(folder)) {
    std::string text;
    if (ReadRegularFile(JoinPath(JoinPath(workspace_, folder), "go.work"), kMaxFileBytes, &text)) {
      return true;
    }
    if (IsTop(folder)) return false;
  }
}

bool GoModules::IsBuiltWith(const std::string& user, const std::string& declared) {
  const Module own = ModuleOf(user);
  const Module& other = ModuleOf(declared);
  if (own.path == other.path || own.path.empty() || other.path.empty()) return true;
  if (HasWorkFile(user)) return true;
  bool is_replaced = false;
  bool in_block = false;  // replace ( … )
  for (absl::string_view line : SplitLines(own.text)) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(line, "replace (")) in_block = true;
    if (line == ")") in_block = false;
    if (!in_block && !absl::StartsWith(line, "replace ")) continue;
    const size_t arrow = line.find("=>");
    if (arrow == absl::string_view::npos) continue;
    const absl::string_view target = absl::StripAsciiWhitespace(line.substr(arrow + 2));
    const bool names_it = absl::StrContains(line.substr(0, arrow), other.path);
    is_replaced = is_replaced || (names_it && absl::StartsWith(target, "."));
  }
  return is_replaced;
}

void DropOtherVersions(Resolution* resolution, const CodeIndex& index) {
  const SourceFile& declaring = *resolution->targets[0].file;
  if (!LanguageBackendOf(declaring.language.id).naming.modules_have_versions) return;
  GoModules modules(index.workspace());
  const auto is_apart = [&](const SourceFile& file) {
    return file.language.id == declaring.language.id &&
           !modules.IsBuiltWith(file.path, declaring.path);
  };
  std::erase_if(resolution->files, [&](const auto& file) { return is_apart(*file); });
  std::erase_if(resolution->all, [&](const Declaration& other) { return is_apart(*other.file); });
}

}  // namespace stile
