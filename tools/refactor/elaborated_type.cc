#include "tools/refactor/elaborated_type.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// "shop.orders" around an offset; "" outside of all.
std::string NamespaceAround(const SourceFile& file, uint32_t offset) {
  for (int i = file.SymbolAround(offset); i >= 0;) {
    const Symbol& symbol = file.symbols[static_cast<size_t>(i)];
    if (symbol.kind == SymbolKind::kNamespace) {
      return absl::StrReplaceAll(file.QualifiedName(i), {{"::", "."}});
    }
    i = symbol.parent;
  }
  return "";
}

}  // namespace

bool IsElaboratedType(const CodeRange& name, CodeIndex* index) {
  const auto file = index->Open(name.path);
  if (!file.ok() || !LanguageBackendOf((*file)->language.id).naming.has_prototypes) return false;
  const absl::string_view before = absl::string_view((*file)->text).substr(0, name.begin);
  const absl::string_view head = absl::StripTrailingAsciiWhitespace(before);
  if (head.size() == before.size()) return false;
  size_t begin = head.size();
  while (begin > 0 && IsIdentifierByte(head[begin - 1])) --begin;
  const absl::string_view word = head.substr(begin);
  return word == "class" || word == "struct" || word == "union" || word == "enum";
}

bool CanDeclare(const SourceFile& file, uint32_t name, const Declaration& type) {
  return NamespaceAround(file, name) == NamespaceAround(*type.file, type.name_begin());
}

}  // namespace stile
