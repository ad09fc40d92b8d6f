#include "tools/refactor/plain_reach.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/language_backend.h"

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
  const LanguageBackend& language = LanguageBackendOf(target.file->language.id);
  const GenerationFacts& facts = language.generation;
  if (!SeeEachOther(file.language, target.file->language)) return false;
  const std::string& container = target.AsSymbol().container;
  const bool is_same_folder = DirName(file.path) == DirName(target.file->path);
  if (facts.imports_packages) return is_same_folder;
  // Each file of these names what it uses.
  if (facts.imports_files) return false;
  if (facts.imports_types && is_same_folder) return true;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return false;
  if (language.facts.imports_name_spaces) {
    const auto is_in_namespace = [&](const Symbol& symbol) {
      return symbol.kind == SymbolKind::kNamespace &&
             (symbol.name == container || absl::StartsWith(symbol.name, container + "."));
    };
    if (std::any_of(file.symbols.begin(), file.symbols.end(), is_in_namespace)) return true;
  }
  const std::string module = ModuleName(target.file->path);
  for (const Import& import : FindImports(file.grammar, *tree, file.text)) {
    if (language.facts.imports_name_spaces && import.alias.empty() && import.module == container) {
      return true;
    }
    if (facts.imports_types && import.name == "*" && import.module == container) return true;
    const bool is_wildcard = language.naming.wildcard_imports_module && import.name == "*";
    if (is_wildcard && LastPart(import.module) == module) return true;
    const bool is_header = facts.has_includes && container.empty();
    if (is_header && BaseName(import.module) == BaseName(target.file->path)) return true;
  }
  return false;
}

}  // namespace stile
