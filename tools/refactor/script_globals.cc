#include "tools/refactor/script_globals.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tools/index/es_modules.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

bool IsScript(const SourceFile& file) {
  if (!LanguageBackendOf(file.language.id).generation.may_be_commonjs) return false;
  for (const absl::string_view word : {"require(", "module.exports", "exports."}) {
    if (absl::StrContains(file.text, word)) return false;
  }
  const ModuleStatements& statements = file.ImportsAndExports();
  return statements.names.empty() && statements.all_of.empty() && statements.exported.empty();
}

// Whether the file declares a function or class of the name at its top. Variables are left out:
// `var App = App || {}` is how scripts share one.
bool DeclaresAtTop(const SourceFile& file, absl::string_view name) {
  return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
    return symbol.parent < 0 && symbol.container.empty() && symbol.name == name &&
           (symbol.kind == SymbolKind::kFunction || symbol.kind == SymbolKind::kClass);
  });
}

}  // namespace

void KeepToScript(const Declaration& symbol, CodeIndex* index,
                  std::map<CodeRange, std::string>* edits, std::set<CodeRange>* unseen) {
  const SourceFile& own = *symbol.file;
  if (symbol.symbol < 0 || !IsScript(own)) return;
  // "Shape" of "Shape.prototype.area".
  const std::string qualified = own.QualifiedName(symbol.symbol);
  const std::string outermost = qualified.substr(0, qualified.find('.'));
  if (!DeclaresAtTop(own, outermost)) return;
  std::map<std::string, bool> is_foreign;  // by path
  for (auto edit = edits->begin(); edit != edits->end();) {
    const std::string& path = edit->first.path;
    const auto [known, is_new] = is_foreign.try_emplace(path, false);
    if (is_new && path != own.path) {
      const auto file = index->Open(path);
      known->second = file.ok() && IsScript(**file) && DeclaresAtTop(**file, outermost);
    }
    if (known->second) {
      unseen->insert(edit->first);
      edit = edits->erase(edit);
    } else {
      ++edit;
    }
  }
}

}  // namespace stile
