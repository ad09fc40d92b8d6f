#include "validators/integrity/symbol_scopes.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "runtime/syntax/grammar.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {
namespace {

// The offset of the first character of each line that is no blank; that of the newline in an empty
// one.
std::vector<uint32_t> LineStarts(absl::string_view text) {
  std::vector<uint32_t> starts;
  for (size_t at = 0; at < text.size();) {
    const size_t newline = std::min(text.find('\n', at), text.size());
    const size_t first = std::min(text.find_first_not_of(" \t", at), newline);
    starts.push_back(static_cast<uint32_t>(first));
    at = newline + 1;
  }
  return starts;
}

bool IsScope(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kEnumMember:
    case SymbolKind::kField:
    case SymbolKind::kConstant:
    case SymbolKind::kVariable:
    case SymbolKind::kTypeAlias:
      return false;
    default:
      return true;
  }
}

class Finder : public ScopeFinder {
 public:
  explicit Finder(const LanguageRegistry* languages) : languages_(languages) {}

  std::vector<std::string> ScopesAt(const std::string& path, absl::string_view text,
                                    const std::vector<int>& lines) const override {
    std::vector<std::string> scopes(lines.size());
    const Grammar* grammar = FindGrammar(languages_->GrammarOf(path));
    if (grammar == nullptr) return scopes;
    const auto tree = SyntaxTree::Parse(*grammar, text);
    if (!tree.ok()) return scopes;
    const std::vector<Symbol> symbols = FindSymbols(*grammar, *tree, text);
    const std::vector<uint32_t> starts = LineStarts(text);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] < 1 || static_cast<size_t>(lines[i]) > starts.size()) continue;
      const uint32_t at = starts[static_cast<size_t>(lines[i]) - 1];
      for (const Symbol& symbol : symbols) {  // outer ones come first
        if (symbol.begin > at) break;
        if (at >= symbol.end || !IsScope(symbol.kind)) continue;
        scopes[i] = symbol.container.empty() ? symbol.name
                                             : absl::StrCat(symbol.container, ".", symbol.name);
      }
    }
    return scopes;
  }

 private:
  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<ScopeFinder> NewScopeFinder(const LanguageRegistry* languages) {
  return std::make_unique<Finder>(languages);
}

}  // namespace stile
