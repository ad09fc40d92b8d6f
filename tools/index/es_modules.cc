#include "tools/index/es_modules.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// How many files may hand a name on to the next.
constexpr int kMaxDepth = 8;

bool IsOfList(char c) {
  return IsIdentifierByte(c) || c == '$' || c == ',' || c == ':' ||
         absl::ascii_isspace(static_cast<unsigned char>(c));
}

// Without the extension that TypeScript and Node write: "lib/order" of "lib/order.d.ts".
absl::string_view Stem(absl::string_view path) {
  for (const absl::string_view extension : {".d.ts", ".d.mts", ".d.cts", ".tsx", ".jsx", ".mts",
                                            ".cts", ".mjs", ".cjs", ".ts", ".js"}) {
    if (absl::ConsumeSuffix(&path, extension)) break;
  }
  return path;
}

}  // namespace

absl::string_view ModuleOfName(absl::string_view text, uint32_t offset) {
  size_t begin = offset;
  while (begin > 0 && IsOfList(text[begin - 1])) --begin;
  if (begin == 0 || text[begin - 1] != '{') return "";
  size_t end = offset;
  while (end < text.size() && IsOfList(text[end])) ++end;
  if (end == text.size() || text[end] != '}') return "";
  absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
  if (!absl::ConsumePrefix(&behind, "from")) return "";
  behind = absl::StripLeadingAsciiWhitespace(behind);
  if (behind.empty() || (behind[0] != '"' && behind[0] != '\'')) return "";
  const size_t close = behind.find(behind[0], 1);
  return close == absl::string_view::npos ? "" : behind.substr(1, close - 1);
}

std::optional<bool> ModuleResolver::IsTarget(const SourceFile& file, uint32_t offset) {
  const std::string& language = file.language.id;
  if (language != "typescript" && language != "javascript") return std::nullopt;
  return FromModule(file, ModuleOfName(file.text, offset), 0);
}

// The file among those that hold the name; a source is taken before its declarations (.d.ts).
const SourceFile* ModuleResolver::Find(const std::string& importer,
                                       absl::string_view module) const {
  const std::string path = CleanPath(JoinPath(DirName(importer), module));
  const SourceFile* found = nullptr;
  for (const auto& file : resolution_.files) {
    const absl::string_view stem = Stem(file->path);
    const bool is_meant =
        file->path == path || stem == path || stem == Stem(path) || stem == JoinPath(path, "index");
    if (!is_meant) continue;
    if (found == nullptr || absl::StrContains(found->path, ".d.")) found = file.get();
  }
  return found;
}

std::optional<bool> ModuleResolver::FromModule(const SourceFile& file, absl::string_view module,
                                               int depth) {
  if (!absl::StartsWith(module, ".") || depth > kMaxDepth) return std::nullopt;
  const auto [known, is_new] =
      known_.try_emplace({file.path, std::string(module)}, std::optional<bool>());
  if (!is_new) return known->second;
  const SourceFile* const from = Find(file.path, module);
  if (from == nullptr) return std::nullopt;
  std::optional<bool> answer;
  for (const Declaration& declaration : resolution_.all) {
    if (declaration.symbol < 0 || declaration.file->path != from->path) continue;
    if (!declaration.AsSymbol().container.empty()) continue;
    // Of several (an interface and a class of one name) one is enough.
    answer = answer.value_or(false) || resolution_.IsTarget(*from, declaration.symbol);
  }
  if (!answer.has_value()) {
    for (const Occurrence& occurrence :
         FindOccurrences(from->grammar, from->scopes, from->text, name_)) {
      const absl::string_view next = ModuleOfName(from->text, occurrence.begin);
      if (next.empty()) continue;
      answer = FromModule(*from, next, depth + 1);
      if (answer.has_value()) break;
    }
  }
  return known->second = answer;
}

}  // namespace stile
