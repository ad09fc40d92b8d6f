#include "tools/refactor/plain_reach.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// The name of a file without its extension; of Python's `__init__` and Rust's `mod`, the folder's.
std::string ModuleName(const std::string& path) {
  const std::string base = BaseName(path);
  const std::string stem = base.substr(0, base.find('.'));
  return stem == "__init__" || stem == "mod" ? BaseName(DirName(path)) : stem;
}

// "a.b.orders", "crate::orders", ".orders", and for `super` or `.` nothing that can be compared.
std::string LastPart(absl::string_view module) {
  const size_t at = module.find_last_of(".:/");
  return std::string(at == absl::string_view::npos ? module : module.substr(at + 1));
}

}  // namespace

bool ReachesByPlainName(const Declaration& target, const SourceFile& file) {
  const std::string& language = target.file->language.id;
  if (!SeeEachOther(file.language, target.file->language)) return false;
  const std::string& container = target.AsSymbol().container;
  const bool is_same_folder = DirName(file.path) == DirName(target.file->path);
  if (language == "go") return is_same_folder;
  // Each file of these names what it uses.
  if (language == "typescript" || language == "javascript") return false;
  if (language == "java" && is_same_folder) return true;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return false;
  if (language == "csharp") {
    const auto is_in_namespace = [&](const Symbol& symbol) {
      return symbol.kind == SymbolKind::kNamespace &&
             (symbol.name == container || absl::StartsWith(symbol.name, container + "."));
    };
    if (std::any_of(file.symbols.begin(), file.symbols.end(), is_in_namespace)) return true;
  }
  const std::string module = ModuleName(target.file->path);
  for (const Import& import : FindImports(file.grammar, *tree, file.text)) {
    if (language == "csharp" && import.alias.empty() && import.module == container) return true;
    if (language == "java" && import.name == "*" && import.module == container) return true;
    const bool is_wildcard = (language == "python" || language == "rust") && import.name == "*";
    if (is_wildcard && LastPart(import.module) == module) return true;
    const bool is_header = (language == "c" || language == "cpp") && container.empty();
    if (is_header && BaseName(import.module) == BaseName(target.file->path)) return true;
  }
  return false;
}

}  // namespace stile
