#include "tools/code/code_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/near_names.h"

namespace stile {
namespace {

constexpr size_t kMaxLineBytes = 160;
constexpr size_t kMaxDescribed = 8;

}  // namespace

std::string Shortened(absl::string_view text) {
  if (text.size() <= kMaxLineBytes) return ToUtf8(text);
  text = text.substr(0, kMaxLineBytes);
  while (!text.empty() && !IsUtf8(text)) text.remove_suffix(1);
  return absl::StrCat(text, "…");
}

std::string ShownLine(const SourceFile& file, int line) {
  return Shortened(absl::StripAsciiWhitespace(file.Line(line)));
}

std::string Describe(const Declaration& declaration) {
  const std::string place =
      absl::StrCat(DisplayPath(declaration.file->path), ":", declaration.place().line);
  const absl::string_view kind =
      declaration.symbol >= 0
          ? SymbolKindName(declaration.AsSymbol().kind)
          : BindingKindName(
                declaration.file->scopes.bindings[static_cast<size_t>(declaration.binding)].kind);
  return absl::StrCat(kind, " ", ToUtf8(declaration.QualifiedName()), " (", place, ")");
}

absl::StatusOr<SymbolQuery> QueryFromArguments(const Json& arguments, const ToolContext& context) {
  SymbolQuery query = ParseSymbolName(JsonString(arguments, "symbolName").value_or(""));
  if (const auto file = JsonString(arguments, "filePath"); file.has_value() && !file->empty()) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath path, ResolveInWorkspace(context.workspace, *file));
    query.file = path.relative;
  }
  query.line = static_cast<int>(JsonInt(arguments, "line").value_or(0));
  return query;
}

std::vector<std::pair<std::string, std::string>> QueryAliases() {
  return {
      {"symbol", "symbolName"}, {"name", "symbolName"}, {"file", "filePath"}, {"path", "filePath"}};
}

ToolResult NothingResolved(const absl::Status& status, const SymbolQuery& query,
                           const CodeIndex& index) {
  // Other errors say themselves what to do.
  if (!absl::IsNotFound(status)) return ToolResult::FromStatus(status);
  const bool has_file = query.file.empty() || FileExists(JoinPath(index.workspace(), query.file));
  const std::string near =
      has_file ? NearIdentifier(query.name, index) : NearPath(query.file, index);
  const std::string hint =
      near.empty() ? "search.grep finds text in any file"
                   : absl::StrCat("Did you mean ", ToUtf8(near), "? search.grep finds any text");
  return ToolResult::FromStatus(status, hint);
}

std::string NotOnLine(const SymbolQuery& query, const Resolution& resolution) {
  if (query.file.empty() || query.line == 0 || resolution.is_by_line) return "";
  std::vector<std::string> described;
  for (const Declaration& target : resolution.targets) {
    if (described.size() < kMaxDescribed) described.push_back(Describe(target));
    if (target.file->path != query.file || target.symbol < 0) continue;
    const Symbol& symbol = target.AsSymbol();
    const uint32_t begin =
        symbol.doc_end > 0 ? std::min(symbol.doc_begin, symbol.begin) : symbol.begin;
    if (target.file->PlaceOf(begin).line <= query.line &&
        query.line <= target.file->PlaceOf(symbol.signature_end).line) {
      return "";
    }
  }
  return absl::StrCat("it is not known what ", ToUtf8(query.name), " means at ",
                      DisplayPath(query.file), ":", query.line,
                      ". Give the line of its declaration: ", absl::StrJoin(described, ", "), ".");
}

}  // namespace stile
