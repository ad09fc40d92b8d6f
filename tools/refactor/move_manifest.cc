// TypeScript and JavaScript: paths in package.json, tsconfig.json and jsconfig.json.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/import_fixups.h"
#include "tools/index/file_reading.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

constexpr size_t kMaxManifestBytes = size_t{1} << 20;

bool IsManifest(const std::string& path) {
  const std::string base = BaseName(path);
  return base == "package.json" ||
         (absl::EndsWith(base, ".json") &&
          (absl::StartsWith(base, "tsconfig") || absl::StartsWith(base, "jsconfig")));
}

// Of package.json: no value there is a path.
constexpr std::array kProse = {"name",     "version",          "description",
                               "keywords", "author",           "contributors",
                               "license",  "dependencies",     "devDependencies",
                               "engines",  "peerDependencies", "optionalDependencies"};

// Calls `use` with the place and the text of each string of a JSON text that is a value, and with
// the name of the outermost member that holds it. Comments are allowed, as in tsconfig.json.
// Strings with escapes are left out: paths have none.
void ForEachValue(const std::string& text,
                  const std::function<void(const std::string& member, size_t begin,
                                           const std::string& value)>& use) {
  std::string member;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (text.compare(at, 2, "//") == 0) at = text.find('\n', at);
    if (text.compare(at, 2, "/*") == 0) at = text.find("*/", at + 2);
    if (at == std::string::npos) return;
    if (text[at] != '"') continue;
    const size_t begin = at + 1;
    bool has_escape = false;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] != '\\') continue;
      has_escape = true;
      ++at;
    }
    if (at >= text.size()) return;
    const std::string found = text.substr(begin, at - begin);
    const size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string::npos && text[next] == ':') {
      if (depth == 1) member = found;
    } else if (!has_escape) {
      use(member, begin, found);
    }
  }
}

}  // namespace

void FollowInManifests(const FileMove& move) {
  for (const std::string& path : move.paths) {
    if (!IsManifest(path)) continue;
    std::string text;
    if (!ReadRegularFile(JoinPath(move.context.workspace, path), kMaxManifestBytes, &text))
      continue;
    const std::string moved = RelativePath(DirName(path), move.to);
    // A package cannot name files outside of itself.
    if (absl::StartsWith(moved, "../") && BaseName(path) == "package.json") continue;
    // Its paths begin at the folder that it names.
    const bool has_base = absl::StrContains(text, "\"baseUrl\"");
    ForEachValue(text, [&](const std::string& member, size_t begin, const std::string& value) {
      if (std::find(kProse.begin(), kProse.end(), member) != kProse.end()) return;
      if (has_base && member == "compilerOptions") return;
      if (value.empty() || CleanPath(JoinPath(DirName(path), value)) != move.from()) return;
      const bool is_dotted = absl::StartsWith(value, "./") && !absl::StartsWith(moved, "../");
      move.result->plan.EditText(
          path, text,
          {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + value.size()),
           absl::StrCat(is_dotted ? "./" : "", moved)});
    });
  }
}

}  // namespace stile
